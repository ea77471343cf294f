#include "store/id_range.h"
#include "store/sqlite/store_impl.h"

namespace holdfast::sqlite {

namespace {

std::vector<std::int64_t> older_rows(Database& db, const char* sql, Timestamp before, std::size_t limit) {
    std::vector<std::int64_t> rows;
    auto found = db.query(sql, before, limit);
    while (found.step()) rows.push_back(found.integer(0));
    return rows;
}

/// Ids carry the time they were made, so tasks that ended before the horizon are found among the lowest ids: the
/// search goes no further than the ids made before it, whatever the table holds.
std::vector<Uuid> old_endings(Database& db, Timestamp before, std::size_t limit) {
    std::vector<Uuid> tasks;
    auto rows = db.query("SELECT task_id FROM ending WHERE task_id < ? AND finished_at < ? ORDER BY task_id LIMIT ?",
                         store::first_id_at(before), before, limit);
    while (rows.step()) tasks.push_back(rows.uuid(0));
    return tasks;
}

void delete_task(Transaction& tx, const Uuid& task) {
    tx.db.run("DELETE FROM ending WHERE task_id = ?", task);
    tx.db.run("DELETE FROM attempt WHERE task_id = ?", task);
    tx.db.run("DELETE FROM progress WHERE task_id = ?", task);
    tx.db.run("DELETE FROM log WHERE task_id = ?", task);
    tx.db.run("DELETE FROM event WHERE task_id = ?", task);
    tx.db.run("DELETE FROM task WHERE id = ?", task);
}

std::vector<Uuid> old_workers(Database& db, Timestamp before, std::size_t limit) {
    std::vector<Uuid> workers;
    auto rows = db.query(
        "SELECT id FROM worker WHERE status = 'inactive' AND coalesce(last_heartbeat, registered_at) < ?"
        " AND id NOT IN (SELECT worker_id FROM lease) LIMIT ?",
        before, limit);
    while (rows.step()) workers.push_back(rows.uuid(0));
    return workers;
}

void delete_worker(Transaction& tx, const Uuid& worker) {
    tx.db.run("DELETE FROM worker WHERE id = ?", worker);
    tx.db.run("DELETE FROM claim WHERE worker_id = ?", worker);
    tx.db.run("DELETE FROM event WHERE worker_id = ? AND task_id IS NULL", worker);
}

/// Limits that no slot and no waiting task needs: the next claim makes its row again from the task's own.
void delete_idle_keys(Transaction& tx, std::size_t limit) {
    tx.db.run(
        "DELETE FROM concurrency WHERE key IN (SELECT key FROM concurrency c"
        " WHERE NOT EXISTS (SELECT 1 FROM slot WHERE slot.key = c.key)"
        " AND NOT EXISTS (SELECT 1 FROM waiting w WHERE w.why = 'key' AND w.concurrency_key = c.key) LIMIT ?)",
        limit);
}

struct Old {
    std::vector<std::int64_t> heartbeats;
    std::vector<std::int64_t> worker_states;
    std::vector<Uuid> tasks;
    std::vector<Uuid> workers;
};

Old find_old(Database& db, const store::PruneParams& params, Timestamp now) {
    Old old;
    if (params.heartbeats_older_than)
        old.heartbeats = older_rows(db, "SELECT id FROM beat_history WHERE sent_at < ? ORDER BY id LIMIT ?",
                                    now - *params.heartbeats_older_than, params.limit);
    if (params.worker_states_older_than)
        old.worker_states = older_rows(db, "SELECT id FROM worker_state WHERE at < ? ORDER BY id LIMIT ?",
                                       now - *params.worker_states_older_than, params.limit);
    if (params.terminal_older_than) {
        old.tasks = old_endings(db, now - *params.terminal_older_than, params.limit);
        old.workers = old_workers(db, now - *params.terminal_older_than, params.limit);
    }
    return old;
}

void delete_old(Transaction& tx, const Old& old, const store::PruneParams& params) {
    for (const auto id : old.heartbeats) tx.db.run("DELETE FROM beat_history WHERE id = ?", id);
    for (const auto id : old.worker_states) tx.db.run("DELETE FROM worker_state WHERE id = ?", id);
    for (const auto& task : old.tasks) delete_task(tx, task);
    for (const auto& worker : old.workers) delete_worker(tx, worker);
    if (params.terminal_older_than) delete_idle_keys(tx, params.limit);
}

/// Gives pages back to the file system, some at a time: what was deleted in a hurry goes in the course of further
/// calls.
void shrink(Transaction& tx) {
    tx.db.execute("PRAGMA incremental_vacuum(1000)");
}

store::PruneAnswer answer_for(const Old& old, std::size_t limit) {
    store::PruneAnswer answer;
    answer.heartbeats = std::ssize(old.heartbeats);
    answer.worker_states = std::ssize(old.worker_states);
    answer.tasks = std::ssize(old.tasks);
    answer.workers = std::ssize(old.workers);
    answer.more =
        std::max({old.heartbeats.size(), old.worker_states.size(), old.tasks.size(), old.workers.size()}) >= limit;
    return answer;
}

}  // namespace

store::PruneAnswer SqliteStore::prune(const store::PruneParams& given) {
    auto params = given;
    params.limit = std::min(given.limit, store::max_batch_rows);
    if (params.limit == 0) return {};
    if (params.dry_run)
        return work_.read([&](Database& db) { return answer_for(find_old(db, params, clock_.now()), params.limit); });
    return write([&](Transaction& tx) {
        const auto old = find_old(tx.db, params, tx.now);
        delete_old(tx, old, params);
        shrink(tx);
        return answer_for(old, params.limit);
    });
}

}  // namespace holdfast::sqlite
