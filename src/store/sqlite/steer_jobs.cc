#include "store/sqlite/endings.h"
#include "store/sqlite/store_impl.h"

namespace holdfast::sqlite {

namespace {

struct TaskToCancel {
    Uuid task;
    std::string reason;  ///< of its job
};

/// Tasks of the job and its descendants that neither ended nor were asked to stop, though the cancel of their job is
/// requested. A job that has ended has only the tasks of its hooks left, which are not to be cancelled.
std::vector<TaskToCancel> tasks_to_cancel(Database& db, const Uuid& job, std::size_t limit) {
    return db
        .query(
            R"sql(WITH RECURSIVE tree (id) AS (
                    SELECT ?1 UNION ALL SELECT j.id FROM tree JOIN job j ON j.parent_id = tree.id)
                  SELECT s.task_id, p.cancel_reason
                  FROM tree JOIN job_progress p ON p.job_id = tree.id JOIN step s ON s.job_id = tree.id
                  WHERE p.cancel_code IS NOT NULL
                    AND (p.state = 'PENDING' OR p.state = 'RUNNING' OR p.state = 'PAUSED')
                    AND s.task_id IS NOT NULL AND s.state = 'READY'
                    AND (EXISTS (SELECT 1 FROM ready x WHERE x.task_id = s.task_id)
                         OR EXISTS (SELECT 1 FROM waiting x WHERE x.task_id = s.task_id)
                         OR EXISTS (SELECT 1 FROM lease x
                                    WHERE x.task_id = s.task_id AND x.stop_requested IS NOT 'cancel'))
                  LIMIT ?2)sql",
            job, limit)
        .all([](const Query& row) {
            return TaskToCancel{row.uuid(0), row.string(1)};
        });
}

}  // namespace

void SqliteStore::in_tree(const Uuid&, const std::string& who,
                          const std::function<void(store::Orchestrator&)>& body) {
    write([&](Transaction& tx) {
        tx.who = who;
        return orchestrate(tx, [&](store::Orchestrator& orchestrator) {
            body(orchestrator);
            return true;
        });
    });
}

std::size_t SqliteStore::cancel_tasks_of(const Uuid& job, const std::string& who,
                                         const std::optional<std::string>& reason) {
    std::size_t cancelled = 0;
    for (bool more = true; more;) {
        const auto batch = write([&](Transaction& tx) {
            const auto tasks = tasks_to_cancel(tx.db, job, store::max_batch_rows);
            for (const auto& each : tasks)
                cancel_task(tx, each.task, who, reason.value_or(each.reason), store::Cause::Rule);
            return tasks.size();
        });
        cancelled += batch;
        more = batch == store::max_batch_rows;
    }
    return cancelled;
}

}  // namespace holdfast::sqlite
