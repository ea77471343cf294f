#include "store/postgres/batches.h"
#include "store/postgres/endings.h"
#include "store/postgres/store_impl.h"
#include "store/rows.h"

namespace holdfast::postgres {

std::size_t PostgresStore::expire_overdue(std::size_t limit) {
    if (limit == 0) return 0;
    return transact([&](Transaction& tx) {
        // Tasks that a claim has put aside first, then those that no claim has met.
        const auto tasks = tx.all("SELECT holdfast.find_overdue($1)", store::read_id,
                                  static_cast<int>(std::min(limit, store::max_batch_rows)));
        if (tasks.empty()) return std::size_t{0};
        const auto expired = end_pending(tx, tasks, TaskState::Expired, store::expired_error());
        std::vector<store::NewEvent> events;
        for (const auto& task : tasks)
            if (std::find(expired.begin(), expired.end(), task) != expired.end())
                events.push_back(store::expired_event(task));
        write_events(tx, events);
        return expired.size();
    });
}

// Tasks whose time has come count, although only a claim moves them into reach: where no worker claims, they would
// never be seen.
std::vector<store::RouteBacklog> PostgresStore::backlog() {
    return work_.all(R"sql(WITH claimable AS (
                             SELECT route_id, run_at, task_id FROM holdfast.ready UNION ALL
                             SELECT route_id, run_at, task_id FROM holdfast.waiting
                             WHERE why = 'future' AND run_at <= holdfast.now())
                           SELECT DISTINCT ON (c.route_id) r.id, r.queue, r.tags, q.paused,
                                  count(*) OVER (PARTITION BY c.route_id), c.task_id, c.run_at, holdfast.now()
                           FROM claimable c JOIN holdfast.route r ON r.id = c.route_id
                             JOIN holdfast.queue q ON q.name = r.queue
                           ORDER BY c.route_id, c.run_at, c.task_id)sql",
                     store::read_backlog);
}

// Reads all of the route's rows in `ready`: these are narrow, and an index would be paid for by every task with the
// policy.
std::vector<Uuid> PostgresStore::unmatched_tasks(const store::UnmatchedParams& params) {
    return work_.all(R"sql(WITH at AS (SELECT holdfast.now() - $2 * interval '1 microsecond' AS latest)
                           SELECT c.task_id FROM (
                             SELECT run_at, task_id FROM holdfast.ready, at
                             WHERE route_id = $1 AND fails_unmatched AND run_at <= latest UNION ALL
                             SELECT run_at, task_id FROM holdfast.waiting, at
                             WHERE why = 'future' AND route_id = $1 AND fails_unmatched AND run_at <= latest) c
                           JOIN holdfast.task t ON t.id = c.task_id
                           WHERE t.policy ->> 'unmatched' = 'fail'
                              OR ($3 AND EXISTS (SELECT FROM holdfast.step s WHERE s.task_id = c.task_id))
                           ORDER BY c.run_at, c.task_id LIMIT $4)sql",
                     store::read_id, params.route, params.waited, params.open_steps, params.limit);
}

std::vector<bool> PostgresStore::reject(const store::RejectParams& params) {
    std::vector<bool> answers(params.tasks.size(), false);
    for (const auto& batch : batches_by_task(params.tasks.size(), [&](std::size_t i) { return params.tasks[i]; })) {
        std::vector<Uuid> tasks;
        for (const auto index : batch) tasks.push_back(params.tasks[index]);
        const auto rejected = transact([&](Transaction& tx) {
            tx.who = params.who;
            const auto ended = end_pending(tx, tasks, TaskState::Failed, params.error);
            std::vector<store::NewEvent> events;
            for (const auto& task : tasks)
                if (std::find(ended.begin(), ended.end(), task) != ended.end())
                    events.push_back(store::rejected_event(task, params));
            write_events(tx, events);
            return std::unordered_set<Uuid>(ended.begin(), ended.end());
        });
        for (const auto index : batch) answers[index] = rejected.contains(params.tasks[index]);
    }
    return answers;
}

}  // namespace holdfast::postgres
