#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/workflow/workflow.h"
#include "store/job_records.h"
#include "store_contract/store_fixture.h"

namespace holdfast {

inline void PrintTo(JobState state, std::ostream* out) {
    *out << to_text(state);
}
inline void PrintTo(StepState state, std::ostream* out) {
    *out << to_text(state);
}
inline void PrintTo(SteerStatus status, std::ostream* out) {
    static constexpr const char* names[] = {"Applied", "Already", "Finished", "NotFound"};
    *out << names[static_cast<int>(status)];
}

}  // namespace holdfast

namespace holdfast::contract {

/// A step that runs the task `work`.
[[nodiscard]] core::WorkflowStep a_step(std::string name, std::vector<std::string> depends_on = {});
[[nodiscard]] core::WorkflowStep child_step(std::string name, std::string workflow,
                                            std::vector<std::string> depends_on = {});
[[nodiscard]] core::WorkflowStep approval_step(std::string name, std::string message);
[[nodiscard]] core::WorkflowStep wait_step(std::string name, std::string length);
/// Its task has as its arguments what the item is.
[[nodiscard]] core::WorkflowStep for_each_step(std::string name, nlohmann::json list);
[[nodiscard]] core::Workflow a_flow(std::vector<core::WorkflowStep> steps, std::string name = "flow");
/// A job of the first of the workflows; the others are those that it starts.
[[nodiscard]] store::NewJob a_job(Timestamp now, const std::vector<core::Workflow>& flows, std::string input = "{}");

/// Every test has one worker, who can run every task.
class JobContract : public StoreContract {
protected:
    void SetUp() override;

    /// Starts a job that must be accepted.
    Uuid start(const std::vector<core::Workflow>& flows, std::string input = "{}");
    Uuid start(std::vector<core::WorkflowStep> steps) { return start({a_flow(std::move(steps))}); }

    [[nodiscard]] JobInfo job(const Uuid& id) { return jobs->find_jobs({id}).at(0).value(); }
    [[nodiscard]] JobState state(const Uuid& id) { return job(id).state; }
    [[nodiscard]] StepInfo step(const Uuid& job, const std::string& name);
    /// "a=COMPLETED b=SKIPPED", as the steps stand in the definition, without items.
    [[nodiscard]] std::string states(const Uuid& job);
    [[nodiscard]] std::vector<std::string> kinds_of_events(const Uuid& job);

    /// Claims everything that can be claimed.
    void claim_all();
    /// The lease under which the step's task runs; claims what can be claimed to get it.
    store::TaskLease running(const Uuid& job, const std::string& step);
    [[nodiscard]] bool can_be_claimed(const Uuid& job, const std::string& step);
    [[nodiscard]] store::ClaimedTask claimed(const Uuid& job, const std::string& step);
    void complete(const Uuid& job, const std::string& step, std::string result = "null");
    void fail(const Uuid& job, const std::string& step, std::string code = "BOOM");

    SteerStatus cancel_job(const Uuid& job) { return jobs->cancel_jobs({{job}, "ann", "enough"}).at(0); }
    SteerStatus pause(const Uuid& job) { return jobs->pause_jobs({{job}, "ann", "lunch"}).at(0); }
    SteerStatus resume(const Uuid& job) { return jobs->resume_jobs({{job}, "ann", ""}).at(0); }
    store::RepairAnswer repair() { return jobs->repair_jobs({{}, 100, "sweeper"}); }

    store::Store* jobs = nullptr;
    Uuid worker;
    std::map<Uuid, store::ClaimedTask> claimed_tasks;
};

}  // namespace holdfast::contract
