#include "store/list_guide.h"
#include "store/old_rows.h"
#include "store/rows.h"
#include "store/sqlite/pruned_ids.h"
#include "store/sqlite/store_impl.h"

namespace holdfast::sqlite {

namespace {

using store::OldRows;

/// Ids carry the time they were made, so tasks that ended before the horizon are found among the lowest ids: the
/// search goes no further than the ids made before it, whatever the table holds. Tasks of steps go with their jobs.
std::vector<Uuid> old_endings(Database& db, Timestamp before, std::size_t limit) {
    return db.all(R"sql(SELECT task_id FROM ending e WHERE task_id < ? AND finished_at < ?
                        AND NOT EXISTS (SELECT 1 FROM step WHERE step.task_id = e.task_id)
                        ORDER BY task_id LIMIT ?)sql",
                  store::read_id, store::first_id_at(before), before, limit);
}

/// Keeps the id from being accepted a second time.
void note_pruned(Transaction& tx, const Uuid& id) {
    tx.db.run("UPDATE pruned SET highest = ?1 WHERE id = 1 AND highest < ?1", id);
}

void delete_task(Transaction& tx, const Uuid& task) {
    note_pruned(tx, task);
    tx.db.run("DELETE FROM ending WHERE task_id = ?", task);
    tx.db.run("DELETE FROM attempt WHERE task_id = ?", task);
    tx.db.run("DELETE FROM progress WHERE task_id = ?", task);
    tx.db.run("DELETE FROM log WHERE task_id = ?", task);
    tx.db.run("DELETE FROM event WHERE task_id = ? AND is_order = 0", task);
    tx.db.run("DELETE FROM task WHERE id = ?", task);
}

/// Jobs at the top that ended before the horizon and whose trees have no task in flight: hooks may outlive their job.
std::vector<Uuid> old_trees(Database& db, Timestamp before, std::size_t limit) {
    return db.all(R"sql(SELECT j.id FROM job j CROSS JOIN job_progress p ON p.job_id = j.id
                        WHERE j.id < ?1 AND j.parent_id IS NULL AND p.finished_at < ?2
                          AND NOT EXISTS (
                            SELECT 1 FROM (SELECT j.id AS id UNION ALL
                                           SELECT c.id FROM job c
                                           WHERE c.root_id = j.id AND c.parent_id IS NOT NULL) t
                            JOIN step s ON s.job_id = t.id
                            WHERE s.state = 'READY' AND s.task_id IS NOT NULL
                              AND NOT EXISTS (SELECT 1 FROM ending e WHERE e.task_id = s.task_id))
                        ORDER BY j.id LIMIT ?3)sql",
                  store::read_id, store::first_id_at(before), before, limit);
}

std::vector<Uuid> jobs_of_tree(Database& db, const Uuid& root) {
    auto jobs =
        db.all("SELECT id FROM job WHERE root_id = ? AND parent_id IS NOT NULL ORDER BY id", store::read_id, root);
    jobs.insert(jobs.begin(), root);
    return jobs;
}

struct OldStep {
    int step = 0;
    int item = 0;
    Uuid task;
};

/// Deletes steps with their tasks; how many, at most `limit`.
std::size_t delete_steps(Transaction& tx, const Uuid& job, std::size_t limit) {
    const auto steps = tx.db.query("SELECT step, item, task_id FROM step WHERE job_id = ? LIMIT ?", job, limit)
                           .all([](const Query& row) {
                               return OldStep{row.small(0), row.small(1), row.uuid(2)};
                           });
    for (const auto& old : steps) {
        if (!old.task.is_nil()) delete_task(tx, old.task);
        tx.db.run("DELETE FROM step WHERE job_id = ? AND step = ? AND item = ?", job, old.step, old.item);
    }
    return steps.size();
}

void delete_job(Transaction& tx, const Uuid& job) {
    note_pruned(tx, job);
    tx.db.run("DELETE FROM event WHERE job_id = ? AND is_order = 0", job);
    tx.db.run("DELETE FROM job_progress WHERE job_id = ?", job);
    tx.db.run("DELETE FROM job WHERE id = ?", job);
}

/// Deletes a tree, its root last, within `room` rows; a large one takes several calls. True: all of it is gone.
bool delete_tree(Transaction& tx, const Uuid& root, std::size_t& room) {
    const auto jobs = jobs_of_tree(tx.db, root);
    for (auto job = jobs.rbegin(); job != jobs.rend(); ++job) {
        room -= delete_steps(tx, *job, room);
        if (room == 0) return false;
        delete_job(tx, *job);
        --room;
    }
    return true;
}

/// Returns how many of the trees are gone.
std::int64_t delete_trees(Transaction& tx, const std::vector<Uuid>& roots, std::size_t room) {
    std::int64_t gone = 0;
    for (const auto& root : roots) {
        if (!delete_tree(tx, root, room)) break;
        ++gone;
    }
    return gone;
}

void delete_idle_definitions(Transaction& tx, std::size_t limit) {
    tx.db.run(
        R"sql(DELETE FROM workflow_definition WHERE id IN (SELECT d.id FROM workflow_definition d
              WHERE NOT EXISTS (SELECT 1 FROM job j WHERE j.definition_id = d.id) LIMIT ?))sql",
        limit);
}

void keep_witness(Transaction& tx, const core::ClockWitness& witness) {
    tx.db.run("UPDATE pruned SET clock_trusted_at = ?, clock_watched_us = ? WHERE id = 1", witness.trusted_at,
              std::int64_t{witness.watched.count()});
}

std::vector<Uuid> old_workers(Database& db, Timestamp before, std::size_t limit) {
    return db.all(R"sql(SELECT id FROM worker
                        WHERE status = 'inactive' AND coalesce(last_heartbeat, registered_at) < ?
                          AND id NOT IN (SELECT worker_id FROM lease) LIMIT ?)sql",
                  store::read_id, before, limit);
}

void delete_worker(Transaction& tx, const Uuid& worker) {
    tx.db.run("DELETE FROM worker WHERE id = ?", worker);
    tx.db.run("DELETE FROM claim WHERE worker_id = ?", worker);
    tx.db.run("DELETE FROM event WHERE worker_id = ? AND task_id IS NULL AND is_order = 0", worker);
}

/// The newest token is never removed: while there is a row, valid or not, servers ask for a token.
void delete_dead_tokens(Transaction& tx, Timestamp before, std::size_t limit) {
    tx.db.run(
        R"sql(DELETE FROM token WHERE id IN (
              SELECT t.id FROM token t
              WHERE (t.revoked_at < ?1 OR t.expires_at < ?1)
                AND t.id <> (SELECT n.id FROM token n ORDER BY n.created_at DESC, n.id DESC LIMIT 1)
              LIMIT ?2))sql",
        before, limit);
}

OldRows find_old(Database& db, const store::PruneParams& params, Timestamp now) {
    constexpr auto read_number = store::read_as<std::int64_t>;
    OldRows old;
    if (params.heartbeats_older_than)
        old.heartbeats = db.all("SELECT id FROM beat_history WHERE sent_at < ? ORDER BY id LIMIT ?", read_number,
                                now - *params.heartbeats_older_than, params.limit);
    if (params.worker_states_older_than) {
        const auto before = now - *params.worker_states_older_than;
        old.worker_states =
            db.all("SELECT id FROM worker_state WHERE at < ? ORDER BY id LIMIT ?", read_number, before, params.limit);
        old.workers = old_workers(db, before, params.limit);
    }
    if (params.orders_older_than)
        old.orders = db.all(
            R"sql(SELECT id FROM (SELECT id, at FROM event WHERE is_order = 1 ORDER BY id LIMIT ?) WHERE at < ?)sql",
            read_number, params.limit, now - *params.orders_older_than);
    if (params.terminal_older_than) {
        old.tasks = old_endings(db, now - *params.terminal_older_than, params.limit);
        old.trees = old_trees(db, now - *params.terminal_older_than, params.limit);
    }
    return old;
}

void delete_old(Transaction& tx, const OldRows& old, const store::PruneParams& params) {
    for (const auto id : old.heartbeats) tx.db.run("DELETE FROM beat_history WHERE id = ?", id);
    for (const auto id : old.worker_states) tx.db.run("DELETE FROM worker_state WHERE id = ?", id);
    for (const auto id : old.orders) tx.db.run("DELETE FROM event WHERE id = ?", id);
    for (const auto& task : old.tasks) delete_task(tx, task);
    for (const auto& worker : old.workers) delete_worker(tx, worker);
    if (!params.terminal_older_than) return;
    delete_idle_keys(tx, params.limit);
    delete_idle_definitions(tx, params.limit);
    delete_dead_tokens(tx, tx.now - *params.terminal_older_than, params.limit);
}

/// Gives pages back to the file system, some at a time: after a large deletion it takes several calls.
void shrink(Transaction& tx) {
    tx.db.execute("PRAGMA incremental_vacuum(1000)");
}

}  // namespace

store::PruneAnswer SqliteStore::prune(const store::PruneParams& given) {
    auto params = given;
    params.limit = std::min(given.limit, store::max_batch_rows);
    if (params.limit == 0) return {};
    if (params.dry_run)
        return work_.read(
            [&](Database& db) {
                const auto now = clock_.now();
                auto answer = find_old(db, params, now).answer(params.limit);
                answer.doubt = core::describe_doubt(core::trust_clock(clock_witness(db), {.now = now}), now);
                return answer;
            },
            Lane::Pace::Unbounded);
    return write(
        [&](Transaction& tx) {
            const auto trust =
                core::trust_clock(clock_witness(tx.db), {tx.now, params.watched, params.clock_is_right});
            keep_witness(tx, trust.witness);
            if (!trust.is_trusted) return store::PruneAnswer{.doubt = core::describe_doubt(trust, tx.now)};
            const auto old = find_old(tx.db, params, tx.now);
            auto answer = old.answer(params.limit);
            answer.jobs = delete_trees(tx, old.trees, params.limit);
            answer.more |= answer.jobs < std::ssize(old.trees);
            delete_old(tx, old, params);
            shrink(tx);
            return answer;
        },
        Lane::Pace::Unbounded);
}

}  // namespace holdfast::sqlite
