#pragma once

#include <string>

#include "holdfast/task.h"
#include "store/sqlite/places.h"

namespace holdfast::sqlite {

// Concurrency keys. A key belongs to the queue of its task's route, unless it is declared shared.

/// Takes a slot of its key for the task; false: all are taken. A key without a row gets the task's own limit.
[[nodiscard]] bool take_slot(Transaction& tx, const Position& position, const Uuid& task);
/// Frees the task's slot; the next one moves up before the commit.
void free_slot(Transaction& tx, const Position& position, const Uuid& task);
/// Moves tasks that wait for the key into reach: of every route, as many of the first as the key has free slots. To
/// be called whenever a slot becomes free, and whenever a task with the key leaves the ready set without taking one,
/// at once or through Transaction::freed_keys: otherwise the tasks behind it would wait for ever.
void unpark(Transaction& tx, std::int64_t route, const std::string& key);

/// Settles the limit of the key of a task that is about to be placed; the one in force.
int settle_limit(Transaction& tx, std::int64_t route, const ConcurrencyKey& concurrency);
/// The limit in force, of a task that was accepted before.
[[nodiscard]] int find_limit(Database& db, std::int64_t route, const ConcurrencyKey& concurrency);

/// Forgets undeclared keys that no task uses; at most `limit`.
void delete_idle_keys(Transaction& tx, std::size_t limit);

}  // namespace holdfast::sqlite
