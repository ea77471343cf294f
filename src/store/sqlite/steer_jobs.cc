#include "store/admission.h"
#include "store/sqlite/endings.h"
#include "store/sqlite/store_impl.h"

namespace holdfast::sqlite {

namespace {

/// Tasks of the job and its descendants that neither ended nor were asked to stop, though the cancel of their job is
/// requested. A job that has ended has no such task but those of its hooks, and these are not meant.
std::vector<Uuid> tasks_to_cancel(Database& db, const Uuid& job, std::size_t limit) {
    std::vector<Uuid> tasks;
    auto rows = db.query(
        "WITH RECURSIVE tree (id) AS (SELECT ?1 UNION ALL SELECT j.id FROM tree JOIN job j ON j.parent_id = tree.id)"
        " SELECT s.task_id FROM tree JOIN job_progress p ON p.job_id = tree.id JOIN step s ON s.job_id = tree.id"
        " WHERE p.cancel_code IS NOT NULL AND (p.state = 'PENDING' OR p.state = 'RUNNING' OR p.state = 'PAUSED')"
        " AND s.task_id IS NOT NULL AND s.state = 'READY' AND"
        " (EXISTS (SELECT 1 FROM ready x WHERE x.task_id = s.task_id)"
        "  OR EXISTS (SELECT 1 FROM waiting x WHERE x.task_id = s.task_id)"
        "  OR EXISTS (SELECT 1 FROM lease x WHERE x.task_id = s.task_id AND x.stop_requested IS NOT 'cancel'))"
        " LIMIT ?2",
        job, limit);
    while (rows.step()) tasks.push_back(rows.uuid(0));
    return tasks;
}

}  // namespace

std::size_t SqliteStore::cancel_tasks_of(const Uuid& job, const std::string& who, const std::string& reason) {
    std::size_t cancelled = 0;
    for (bool more = true; more;) {
        const auto batch = write([&](Transaction& tx) {
            const auto tasks = tasks_to_cancel(tx.db, job, store::max_batch_rows);
            for (const auto& task : tasks) cancel_task(tx, task, who, reason);
            return tasks.size();
        });
        cancelled += batch;
        more = batch == store::max_batch_rows;
    }
    return cancelled;
}

template <typename Order>
std::vector<SteerStatus> SqliteStore::steer_each(const store::SteerJobsParams& params, const Order& order) {
    std::vector<SteerStatus> answers;
    for (const auto& job : params.jobs) {
        answers.push_back(write([&](Transaction& tx) {
            tx.who = params.who;
            return orchestrate(tx, [&](store::Orchestrator& orchestrator) { return order(orchestrator, job); });
        }));
    }
    return answers;
}

std::vector<SteerStatus> SqliteStore::cancel_jobs(const store::SteerJobsParams& params) {
    store::check_remark(params.who, params.reason);
    const auto sentence = store::cancelled_error(params.who, params.reason).message;
    auto answers = steer_each(params, [&](store::Orchestrator& orchestrator, const Uuid& job) {
        return orchestrator.cancel(job, error_code::job_cancelled, sentence);
    });
    for (const auto& job : params.jobs) cancel_tasks_of(job, params.who, params.reason);
    return answers;
}

std::vector<SteerStatus> SqliteStore::pause_jobs(const store::SteerJobsParams& params) {
    store::check_remark(params.who, params.reason);
    return steer_each(params, [&](store::Orchestrator& orchestrator, const Uuid& job) {
        return orchestrator.pause(job, params.reason);
    });
}

std::vector<SteerStatus> SqliteStore::resume_jobs(const store::SteerJobsParams& params) {
    store::check_remark(params.who, params.reason);
    return steer_each(params, [&](store::Orchestrator& orchestrator, const Uuid& job) {
        return orchestrator.resume(job, params.reason);
    });
}

store::DecideStatus SqliteStore::decide_approval(const store::DecideParams& params) {
    store::check_remark(params.who, params.reason);
    return write([&](Transaction& tx) {
        tx.who = params.who;
        return orchestrate(tx, [&](store::Orchestrator& orchestrator) { return orchestrator.decide(params); });
    });
}

store::RetryStatus SqliteStore::retry_job(const store::RetryJobParams& params) {
    store::check_remark(params.who);
    return write([&](Transaction& tx) {
        tx.who = params.who;
        return orchestrate(tx, [&](store::Orchestrator& orchestrator) { return orchestrator.retry(params); });
    });
}

}  // namespace holdfast::sqlite
