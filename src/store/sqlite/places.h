#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/task/settlement.h"
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
inline auto columns_of(Position& position) {
    return std::tie(position.route, position.priority, position.run_at, position.deadline, position.key,
                    position.fails_unmatched, position.history, position.last_lease);
}

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

/// Puts a task in reach of claims.
void insert_ready(Transaction& tx, const Uuid& task, const Position& position);
/// Puts a task where its run_at says: in reach of claims, or waiting for its time.
void place(Transaction& tx, const Uuid& task, const Position& position);
/// Puts a task out of reach: its key is full, its deadline has passed, or its job is paused.
void park(Transaction& tx, const Uuid& task, const Position& position, store::WaitReason why);

[[nodiscard]] std::optional<PendingTask> find_pending(Database& db, const Uuid& task);
/// Whether the task is PENDING, and this was its last lease.
[[nodiscard]] bool was_put_back(Database& db, const store::TaskLease& lease);
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

/// The lowest route above `after` with tasks that wait for the key.
[[nodiscard]] std::optional<std::int64_t> next_parked_route(Database& db, const std::string& key, std::int64_t after);
/// The tasks of the route that wait for the key and are among its first `limit` with this key, counting those in
/// reach already.
[[nodiscard]] std::vector<PendingTask> parked_tasks(Database& db, const std::string& key, std::int64_t route,
                                                    int limit);

}  // namespace holdfast::sqlite
