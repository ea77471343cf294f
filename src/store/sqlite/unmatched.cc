#include "store/rows.h"
#include "store/sqlite/endings.h"
#include "store/sqlite/store_impl.h"

namespace holdfast::sqlite {

namespace {

/// Tasks that a claim has put aside first, then those that no claim has met.
std::vector<Uuid> overdue_tasks(const Transaction& tx, std::size_t limit) {
    return tx.db.all(R"sql(SELECT task_id FROM waiting WHERE deadline <= ?1 UNION ALL
                           SELECT task_id FROM ready WHERE deadline <= ?1 LIMIT ?2)sql",
                     store::read_id, tx.now, limit);
}

}  // namespace

std::size_t SqliteStore::expire_overdue(std::size_t limit) {
    if (limit == 0) return 0;
    return write([&](Transaction& tx) {
        const auto tasks = overdue_tasks(tx, std::min(limit, store::max_batch_rows));
        std::size_t expired = 0;
        for (const auto& task : tasks) {
            const auto pending = find_pending(tx.db, task);
            if (!pending) continue;
            end_pending(tx, *pending, TaskState::Expired, store::expired_error());
            write_event(tx, store::expired_event(task));
            ++expired;
        }
        return expired;
    });
}

// Tasks whose time has come count, although only a claim moves them into reach: where no worker claims, they would
// never be seen.
std::vector<store::RouteBacklog> SqliteStore::backlog() {
    return work_.all(R"sql(WITH claimable AS (
                             SELECT route_id, run_at, task_id FROM ready UNION ALL
                             SELECT route_id, run_at, task_id FROM waiting WHERE why = 'future' AND run_at <= ?1)
                           SELECT r.id, r.queue, r.tags, q.paused, count(*),
                                  (SELECT task_id FROM claimable x WHERE x.route_id = r.id
                                    ORDER BY run_at, task_id LIMIT 1),
                                  min(c.run_at), ?1
                           FROM claimable c JOIN route r ON r.id = c.route_id JOIN queue q ON q.name = r.queue
                           GROUP BY r.id ORDER BY r.id)sql",
                     store::read_backlog, clock_.now());
}

// Reads all of the route's rows in `ready`: these are narrow, and an index would be paid for by every task with the
// policy.
std::vector<Uuid> SqliteStore::unmatched_tasks(const store::UnmatchedParams& params) {
    return work_.all(R"sql(SELECT c.task_id FROM (
                             SELECT run_at, task_id FROM ready
                             WHERE route_id = ?1 AND fails_unmatched AND run_at <= ?2 UNION ALL
                             SELECT run_at, task_id FROM waiting
                             WHERE why = 'future' AND route_id = ?1 AND fails_unmatched AND run_at <= ?2) c
                           CROSS JOIN task t ON t.id = c.task_id
                           WHERE json_extract(t.policy, '$.unmatched') = 'fail'
                              OR (?3 AND EXISTS (SELECT 1 FROM step s WHERE s.task_id = c.task_id))
                           ORDER BY c.run_at, c.task_id LIMIT ?4)sql",
                     store::read_id, params.route, clock_.now() - params.waited, params.open_steps, params.limit);
}

std::vector<bool> SqliteStore::reject(const store::RejectParams& params) {
    return write_each<bool>(params.tasks, [&](Transaction& tx, const Uuid& task) {
        tx.who = params.who;
        const auto pending = find_pending(tx.db, task);
        if (!pending) return false;
        end_pending(tx, *pending, TaskState::Failed, params.error);
        write_event(tx, store::rejected_event(task, params));
        return true;
    });
}

}  // namespace holdfast::sqlite
