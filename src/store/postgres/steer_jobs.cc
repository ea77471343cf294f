#include "store/admission.h"
#include "store/postgres/endings.h"
#include "store/postgres/store_impl.h"

namespace holdfast::postgres {

template <typename Order>
std::vector<SteerStatus> PostgresStore::steer_each(const store::SteerJobsParams& params, const Order& order) {
    std::vector<SteerStatus> answers;
    for (const auto& job : params.jobs) {
        answers.push_back(transact([&](Transaction& tx) {
            tx.who = params.who;
            lock_trees(tx, {job});
            return orchestrate(tx, [&](store::Orchestrator& orchestrator) { return order(orchestrator, job); });
        }));
    }
    return answers;
}

std::vector<SteerStatus> PostgresStore::cancel_jobs(const store::SteerJobsParams& params) {
    store::check_remark(params.who, params.reason);
    const auto sentence = store::cancelled_error(params.who, params.reason).message;
    auto answers = steer_each(params, [&](store::Orchestrator& orchestrator, const Uuid& job) {
        return orchestrator.cancel(job, error_code::job_cancelled, sentence);
    });
    for (const auto& job : params.jobs) cancel_tasks_of(job, params.who, params.reason);
    return answers;
}

/// In transactions of their own: leases come before jobs in the order of locks, and there may be many.
std::size_t PostgresStore::cancel_tasks_of(const Uuid& job, const std::string& who,
                                           const std::optional<std::string>& reason) {
    std::size_t cancelled = 0;
    Uuid after;
    for (bool more = true; more;) {
        const auto rows = work_.read("SELECT task_id, reason FROM holdfast.tasks_to_cancel($1, $2, $3)",
                                     std::vector{job}, after, static_cast<int>(store::max_batch_rows));
        std::map<std::string, std::vector<Uuid>> tasks;  // by the reason
        for (int row = 0; row < rows.size(); ++row)
            tasks[reason.value_or(rows.string(row, 1))].push_back(rows.uuid(row, 0));
        for (const auto& [why, ids] : tasks)
            for (const auto status : cancel({ids, who, why}))
                if (status == store::CancelStatus::Cancelled || status == store::CancelStatus::Requested) ++cancelled;
        more = rows.size() == static_cast<int>(store::max_batch_rows);
        if (more) after = rows.uuid(rows.size() - 1, 0);
    }
    return cancelled;
}

std::vector<SteerStatus> PostgresStore::pause_jobs(const store::SteerJobsParams& params) {
    store::check_remark(params.who, params.reason);
    auto answers = steer_each(params, [&](store::Orchestrator& orchestrator, const Uuid& job) {
        return orchestrator.pause(job, params.reason);
    });
    if (!params.jobs.empty()) work_.write("SELECT holdfast.hold_leases($1)", params.jobs);
    return answers;
}

std::vector<SteerStatus> PostgresStore::resume_jobs(const store::SteerJobsParams& params) {
    store::check_remark(params.who, params.reason);
    return steer_each(params, [&](store::Orchestrator& orchestrator, const Uuid& job) {
        return orchestrator.resume(job, params.reason);
    });
}

store::DecideStatus PostgresStore::decide_approval(const store::DecideParams& params) {
    store::check_remark(params.who, params.reason);
    return transact([&](Transaction& tx) {
        tx.who = params.who;
        lock_trees(tx, {params.job});
        return orchestrate(tx, [&](store::Orchestrator& orchestrator) { return orchestrator.decide(params); });
    });
}

store::RetryStatus PostgresStore::retry_job(const store::RetryJobParams& params) {
    store::check_remark(params.who);
    return transact([&](Transaction& tx) {
        tx.who = params.who;
        lock_trees(tx, {params.job});
        return orchestrate(tx, [&](store::Orchestrator& orchestrator) { return orchestrator.retry(params); });
    });
}

}  // namespace holdfast::postgres
