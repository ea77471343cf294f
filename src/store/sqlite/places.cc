#include "store/sqlite/places.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "store/rows.h"

namespace holdfast::sqlite {

namespace {

std::optional<std::string_view> as_view(const std::optional<std::string>& text) {
    return text ? std::optional<std::string_view>(*text) : std::nullopt;
}

/// The columns that travel with a task. `ready` and `waiting` have one more, last_lease; a lease has its own number.
#define HOLDFAST_POSITION_COLUMNS \
    "route_id, priority, run_at, deadline, concurrency_key, fails_unmatched, attempts, crashes, requeues"
auto values_of(const Position& position) {
    return std::tuple(position.route, position.priority, position.run_at, position.deadline, as_view(position.key),
                      position.fails_unmatched, position.history.attempts, position.history.crashes,
                      position.history.requeues);
}

void insert_waiting(Transaction& tx, const Uuid& task, const Position& position, store::WaitReason why) {
    tx.db.run("INSERT INTO waiting (task_id, why, last_lease, " HOLDFAST_POSITION_COLUMNS
              ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
              std::tuple_cat(std::tuple(task, to_text(why), position.last_lease), values_of(position)));
}

Query leases_between(Database& db, const TaskRange& range) {
    return db.query(
        "SELECT task_id, lease, worker_id, claimed_at, started_at, stop_requested, " HOLDFAST_POSITION_COLUMNS
        ", lease FROM lease WHERE task_id BETWEEN ? AND ?",
        range.first, range.last);
}

LeaseRow read_lease(const Query& row) {
    LeaseRow lease;
    std::string stop_requested;
    store::ColumnReader(row).read(lease.lease, lease.worker, lease.claimed_at, lease.started_at, stop_requested,
                                  lease.position);
    lease.stop_requested = !stop_requested.empty();
    lease.pause_requested = stop_requested == "pause";
    lease.cancel_requested = stop_requested == "cancel";
    return lease;
}

/// task_id, why, and the columns of the position.
PendingTask read_pending(const Query& row) {
    PendingTask pending;
    store::ColumnReader(row).read(pending.task, pending.waits_for, pending.position);
    return pending;
}

/// Whether there are at most so many leases from the first of these tasks to the last: then one statement for the
/// range is quicker than one for each.
bool stand_together(Database& db, const std::vector<Uuid>& tasks, std::size_t limit) {
    if (tasks.size() < 2) return false;
    const auto range = range_of(tasks);
    if (range.first.is_nil()) return false;  // it would be bound as NULL
    const auto leases = db.number("SELECT count(*) FROM (SELECT 1 FROM lease WHERE task_id BETWEEN ? AND ? LIMIT ?)",
                                  range.first, range.last, limit + 1);
    return static_cast<std::size_t>(leases) <= limit;
}

}  // namespace

void insert_ready(Transaction& tx, const Uuid& task, const Position& position) {
    tx.db.run("INSERT INTO ready (task_id, keyed, last_lease, " HOLDFAST_POSITION_COLUMNS
              ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
              std::tuple_cat(std::tuple(task, position.key.has_value(), position.last_lease), values_of(position)));
    tx.brings_work = true;
}

void place(Transaction& tx, const Uuid& task, const Position& position) {
    if (position.run_at > tx.now) {
        insert_waiting(tx, task, position, store::WaitReason::Future);
        tx.brings_work = true;  // workers that sleep until the next due task must learn of an earlier one
    } else {
        insert_ready(tx, task, position);
    }
}

void park(Transaction& tx, const Uuid& task, const Position& position, store::WaitReason why) {
    insert_waiting(tx, task, position, why);
}

std::optional<PendingTask> find_pending(Database& db, const Uuid& task) {
    return db.first("SELECT task_id, '', " HOLDFAST_POSITION_COLUMNS
                    ", last_lease FROM ready WHERE task_id = ?1 UNION ALL"
                    " SELECT task_id, why, " HOLDFAST_POSITION_COLUMNS ", last_lease FROM waiting WHERE task_id = ?1",
                    read_pending, task);
}

bool was_put_back(Database& db, const store::TaskLease& lease) {
    const auto pending = find_pending(db, lease.task);
    return pending && pending->position.last_lease == lease.lease;
}

void remove_pending(Transaction& tx, const PendingTask& pending) {
    if (pending.waits_for == store::WaitReason::None) {
        const auto& position = pending.position;
        tx.db.run(
            "DELETE FROM ready WHERE route_id = ? AND keyed = ? AND priority = ? AND run_at = ? AND task_id = ?",
            position.route, position.key.has_value(), position.priority, position.run_at, pending.task);
    } else {
        tx.db.run("DELETE FROM waiting WHERE task_id = ?", pending.task);
    }
}

TaskRange range_of(const std::vector<Uuid>& tasks) {
    const auto [first, last] = std::minmax_element(tasks.begin(), tasks.end());
    return {*first, *last};
}

std::optional<LeaseRow> find_lease(Database& db, const Uuid& task) {
    return leases_between(db, {task, task}).first(read_lease);
}

std::unordered_map<Uuid, LeaseRow> find_leases(Database& db, const std::vector<Uuid>& tasks) {
    std::unordered_map<Uuid, LeaseRow> found;
    const auto add_all = [&](const TaskRange& range) {
        auto rows = leases_between(db, range);
        while (rows.step()) {
            auto row = read_lease(rows);
            found.emplace(row.lease.task, std::move(row));
        }
    };
    found.reserve(tasks.size());
    if (stand_together(db, tasks, 2 * tasks.size())) {
        add_all(range_of(tasks));
    } else {
        for (const auto& task : tasks) add_all({task, task});
    }
    return found;
}

void insert_leases(Transaction& tx, const std::vector<LeaseRow>& rows) {
    tx.db.insert("INSERT INTO lease (task_id, lease, worker_id, claimed_at, started_at, " HOLDFAST_POSITION_COLUMNS
                 ")",
                 rows, [](const LeaseRow& row) {
                     return std::tuple_cat(
                         std::tuple(row.lease.task, row.lease.lease, row.worker, row.claimed_at, row.started_at),
                         values_of(row.position));
                 });
}

void delete_leases(Transaction& tx, const std::vector<Uuid>& tasks) {
    if (stand_together(tx.db, tasks, tasks.size())) {
        const auto range = range_of(tasks);
        tx.db.run("DELETE FROM lease WHERE task_id BETWEEN ? AND ?", range.first, range.last);
    } else {
        for (const auto& task : tasks) tx.db.run("DELETE FROM lease WHERE task_id = ?", task);
    }
}

void promote_due(Transaction& tx, std::int64_t route, std::size_t limit) {
    const auto due = tx.db.all("SELECT task_id, why, " HOLDFAST_POSITION_COLUMNS
                               ", last_lease FROM waiting WHERE why = 'future' AND route_id = ? AND run_at <= ?"
                               " ORDER BY run_at LIMIT ?",
                               read_pending, route, tx.now, limit);
    for (const auto& task : due) {
        remove_pending(tx, task);
        insert_ready(tx, task.task, task.position);
    }
}

std::optional<std::int64_t> next_parked_route(Database& db, const std::string& key, std::int64_t after) {
    return db.first(R"sql(SELECT route_id FROM waiting WHERE why = 'key' AND concurrency_key = ? AND route_id > ?
                          ORDER BY route_id LIMIT 1)sql",
                    store::read_as<std::int64_t>, key, after);
}

std::vector<PendingTask> parked_tasks(Database& db, const std::string& key, std::int64_t route, int limit) {
    return db.all(
        R"sql(SELECT w.task_id, w.why, w.route_id, w.priority, w.run_at, w.deadline, w.concurrency_key, w.fails_unmatched,
                     w.attempts, w.crashes, w.requeues, w.last_lease
              FROM (
                SELECT * FROM (
                  SELECT task_id, priority, run_at FROM waiting
                  WHERE why = 'key' AND concurrency_key = ?1 AND route_id = ?2
                  ORDER BY priority, run_at, task_id LIMIT ?3)
                UNION ALL
                SELECT * FROM (
                  SELECT task_id, priority, run_at FROM ready
                  WHERE concurrency_key = ?1 AND route_id = ?2
                  ORDER BY priority, run_at, task_id LIMIT ?3)
                ORDER BY priority, run_at, task_id LIMIT ?3) f
              JOIN waiting w ON w.task_id = f.task_id
              ORDER BY w.priority, w.run_at, w.task_id)sql",
        read_pending, key, route, limit);
}

}  // namespace holdfast::sqlite
