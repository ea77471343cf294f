#include "store/sqlite/places.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "store/encoding.h"

namespace holdfast::sqlite {

namespace {

std::optional<std::string_view> as_view(const std::optional<std::string>& text) {
    return text ? std::optional<std::string_view>(*text) : std::nullopt;
}

/// Reads the ten travelling columns, route_id to last_lease, that start at `column`.
Position read_position(const Query& row, int column) {
    Position position;
    position.route = row.integer(column);
    position.priority = row.small(column + 1);
    position.run_at = row.time(column + 2);
    position.deadline = row.optional_time(column + 3);
    if (!row.is_null(column + 4)) position.key = row.string(column + 4);
    position.fails_unmatched = row.integer(column + 5) != 0;
    position.history = {row.small(column + 6), row.small(column + 7), row.small(column + 8)};
    position.last_lease = row.integer(column + 9);
    return position;
}

void insert_waiting(Transaction& tx, const Uuid& task, const Position& position, store::WaitReason why) {
    tx.db.run(
        R"sql(INSERT INTO waiting (task_id, why, route_id, priority, run_at, deadline, concurrency_key,
              fails_unmatched, attempts, crashes, requeues, last_lease)
              VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?))sql",
        task, to_text(why), position.route, position.priority, position.run_at, position.deadline, position.key,
        position.fails_unmatched, position.history.attempts, position.history.crashes, position.history.requeues,
        position.last_lease);
}

Query leases_between(Database& db, const TaskRange& range) {
    return db.query(
        R"sql(SELECT task_id, lease, worker_id, claimed_at, started_at, stop_requested, route_id, priority,
                run_at, deadline, concurrency_key, fails_unmatched, attempts, crashes, requeues, lease
              FROM lease WHERE task_id BETWEEN ? AND ?)sql",
        range.first, range.last);
}

LeaseRow read_lease(const Query& row) {
    LeaseRow lease;
    lease.lease = {row.uuid(0), row.integer(1)};
    lease.worker = row.uuid(2);
    lease.claimed_at = row.time(3);
    lease.started_at = row.optional_time(4);
    lease.stop_requested = !row.is_null(5);
    lease.pause_requested = row.text(5) == "pause";
    lease.cancel_requested = row.text(5) == "cancel";
    lease.position = read_position(row, 6);
    return lease;
}

/// Whether there are at most so many leases from the first of these tasks to the last: then one statement for the
/// range is quicker than one for each.
bool stand_together(Database& db, const std::vector<Uuid>& tasks, std::size_t limit) {
    if (tasks.size() < 2) return false;
    const auto range = range_of(tasks);
    if (range.first.is_nil()) return false;  // it would be bound as NULL
    auto row = db.query("SELECT count(*) FROM (SELECT 1 FROM lease WHERE task_id BETWEEN ? AND ? LIMIT ?)",
                        range.first, range.last, limit + 1);
    row.step();
    return static_cast<std::size_t>(row.integer(0)) <= limit;
}

}  // namespace

void insert_ready(Transaction& tx, const Uuid& task, const Position& position) {
    tx.db.run(
        R"sql(INSERT INTO ready (task_id, route_id, keyed, priority, run_at, deadline, concurrency_key,
              fails_unmatched, attempts, crashes, requeues, last_lease)
              VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?))sql",
        task, position.route, position.key.has_value(), position.priority, position.run_at, position.deadline,
        position.key, position.fails_unmatched, position.history.attempts, position.history.crashes,
        position.history.requeues, position.last_lease);
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
    auto row = db.query(
        R"sql(SELECT '', route_id, priority, run_at, deadline, concurrency_key, fails_unmatched, attempts,
                crashes, requeues, last_lease
              FROM ready WHERE task_id = ?1
              UNION ALL
              SELECT why, route_id, priority, run_at, deadline, concurrency_key, fails_unmatched, attempts,
                crashes, requeues, last_lease
              FROM waiting WHERE task_id = ?1)sql",
        task);
    if (!row.step()) return std::nullopt;
    return PendingTask{task, store::read_wait_reason(row.text(0)), read_position(row, 1)};
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
    auto row = leases_between(db, {task, task});
    if (!row.step()) return std::nullopt;
    return read_lease(row);
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
    tx.db.insert(
        R"sql(INSERT INTO lease (task_id, lease, worker_id, claimed_at, started_at, route_id, priority, run_at,
              deadline, concurrency_key, fails_unmatched, attempts, crashes, requeues))sql",
        rows, [](const LeaseRow& row) {
            const auto& position = row.position;
            return std::tuple(row.lease.task, row.lease.lease, row.worker, row.claimed_at, row.started_at,
                              position.route, position.priority, position.run_at, position.deadline,
                              as_view(position.key), position.fails_unmatched, position.history.attempts,
                              position.history.crashes, position.history.requeues);
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
    std::vector<PendingTask> due;
    {
        auto rows = tx.db.query(
            R"sql(SELECT task_id, route_id, priority, run_at, deadline, concurrency_key, fails_unmatched,
                    attempts, crashes, requeues, last_lease FROM waiting
                  WHERE why = 'future' AND route_id = ? AND run_at <= ? ORDER BY run_at LIMIT ?)sql",
            route, tx.now, limit);
        while (rows.step()) due.push_back({rows.uuid(0), store::WaitReason::Future, read_position(rows, 1)});
    }
    for (const auto& task : due) {
        remove_pending(tx, task);
        insert_ready(tx, task.task, task.position);
    }
}

std::optional<std::int64_t> next_parked_route(Database& db, const std::string& key, std::int64_t after) {
    auto row = db.query(
        R"sql(SELECT route_id FROM waiting WHERE why = 'key' AND concurrency_key = ? AND route_id > ?
              ORDER BY route_id LIMIT 1)sql",
        key, after);
    if (!row.step()) return std::nullopt;
    return row.integer(0);
}

std::vector<PendingTask> parked_tasks(Database& db, const std::string& key, std::int64_t route, int limit) {
    std::vector<PendingTask> tasks;
    auto rows = db.query(
        R"sql(SELECT w.task_id, w.route_id, w.priority, w.run_at, w.deadline, w.concurrency_key, w.fails_unmatched,
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
        key, route, limit);
    while (rows.step()) tasks.push_back({rows.uuid(0), store::WaitReason::Key, read_position(rows, 1)});
    return tasks;
}

}  // namespace holdfast::sqlite
