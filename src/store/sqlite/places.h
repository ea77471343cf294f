#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/settlement.h"
#include "store/sqlite/lane.h"
#include "store/task_records.h"

namespace holdfast::sqlite {

/// What travels with a task from one place (ready, waiting, lease) to the next.
struct Position {
    std::int64_t route = 0;
    int priority = 50;
    Timestamp run_at;
    std::optional<Timestamp> deadline;
    std::optional<std::string> key;
    bool fails_unmatched = false;
    core::History history;
    store::Lease last_lease = 0;
};

/// A task that is PENDING, and where.
struct PendingTask {
    Uuid task;
    store::WaitReason waits_for = store::WaitReason::None;
    Position position;
};

/// A row of `lease`.
struct LeaseRow {
    store::TaskLease lease;
    Uuid worker;
    Timestamp claimed_at;
    std::optional<Timestamp> started_at;
    Position position;
    bool stop_requested = false;  ///< for whatever reason: it is not to be started
    bool pause_requested = false;
    bool cancel_requested = false;
};

/// Puts a task where its run_at says: in reach of claims, or waiting for its time.
void place(Transaction& tx, const Uuid& task, const Position& position);
/// Puts a task out of reach: its key is full, its deadline has passed, or its job is paused.
void park(Transaction& tx, const Uuid& task, const Position& position, store::WaitReason why);

[[nodiscard]] std::optional<PendingTask> find_pending(Database& db, const Uuid& task);
/// Takes a PENDING task out of its place.
void remove_pending(Transaction& tx, const PendingTask& pending);

/// The lowest of some ids, and the highest.
struct TaskRange {
    Uuid first, last;
};
[[nodiscard]] TaskRange range_of(const std::vector<Uuid>& tasks);  ///< of one task at least

[[nodiscard]] std::optional<LeaseRow> find_lease(Database& db, const Uuid& task);
/// By task; those that are not leased are missing.
[[nodiscard]] std::unordered_map<Uuid, LeaseRow> find_leases(Database& db, const std::vector<Uuid>& tasks);
void insert_leases(Transaction& tx, const std::vector<LeaseRow>& rows);
/// Each must be leased, and named once.
void delete_leases(Transaction& tx, const std::vector<Uuid>& tasks);

/// Moves waiting tasks of the route whose time has come into reach; at most `limit`.
void promote_due(Transaction& tx, std::int64_t route, std::size_t limit);

/// Takes a slot of the key for the task; false: all are taken. The limit is the latest submit's; a key that nobody
/// remembers gets the task's own.
[[nodiscard]] bool take_slot(Transaction& tx, const std::string& key, const Uuid& task);
/// Frees the task's slot; the next one moves up before the commit.
void free_slot(Transaction& tx, const std::string& key, const Uuid& task);
/// Moves, of every route, those tasks that wait for the key into reach that are among the first for which it has free
/// slots. To be called whenever a slot becomes free, and whenever a task with the key leaves the ready set without
/// taking one, at once or through Transaction::freed_keys: otherwise those behind it would wait for ever.
void unpark(Transaction& tx, const std::string& key);
/// Remembers the limit of the latest submit.
void set_limit(Transaction& tx, const ConcurrencyKey& concurrency);

}  // namespace holdfast::sqlite
