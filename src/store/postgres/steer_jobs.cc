#include "store/postgres/endings.h"
#include "store/postgres/store_impl.h"

namespace holdfast::postgres {

void PostgresStore::in_tree(const Uuid& job, const std::string& who,
                            const std::function<void(store::Orchestrator&)>& body) {
    transact([&](Transaction& tx) {
        tx.who = who;
        lock_trees(tx, {job});
        return orchestrate(tx, [&](store::Orchestrator& orchestrator) {
            body(orchestrator);
            return true;
        });
    });
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
        for (const Row row : rows) tasks[reason.value_or(row.string(1))].push_back(row.uuid(0));
        for (const auto& [why, ids] : tasks)
            for (const auto status : cancel({.tasks = ids, .who = who, .reason = why, .with_their_job = true}))
                if (status == store::CancelStatus::Cancelled || status == store::CancelStatus::Requested) ++cancelled;
        more = rows.size() == static_cast<int>(store::max_batch_rows);
        if (more) after = rows[rows.size() - 1].uuid(0);
    }
    return cancelled;
}

/// Leases that have not started are withdrawn in a transaction of their own: leases are locked before jobs.
std::vector<SteerStatus> PostgresStore::pause_jobs(const store::SteerJobsParams& params) {
    auto answers = JobSteering::pause_jobs(params);
    if (!params.jobs.empty()) work_.write("SELECT holdfast.hold_leases($1)", params.jobs);
    return answers;
}

}  // namespace holdfast::postgres
