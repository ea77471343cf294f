#include "store/jobs/steering.h"

#include "store/admission.h"

namespace holdfast::store {

template <typename Order>
auto JobSteering::ordered(const Uuid& job, const std::string& who, const Order& order) {
    decltype(order(std::declval<Orchestrator&>())) answer{};
    in_tree(job, who, [&](Orchestrator& orchestrator) { answer = order(orchestrator); });
    return answer;
}

template <typename Order>
std::vector<SteerStatus> JobSteering::steer_each(const SteerJobsParams& params, const Order& order) {
    check_remark(params.who, params.reason);
    std::vector<SteerStatus> answers;
    for (const auto& job : params.jobs)
        answers.push_back(
            ordered(job, params.who, [&](Orchestrator& orchestrator) { return order(orchestrator, job); }));
    return answers;
}

std::vector<SteerStatus> JobSteering::cancel_jobs(const SteerJobsParams& params) {
    const auto sentence = cancelled_error(params.who, params.reason).message;
    auto answers = steer_each(params, [&](Orchestrator& orchestrator, const Uuid& job) {
        return orchestrator.cancel(job, error_code::job_cancelled, sentence, Cause::Order);
    });
    for (const auto& job : params.jobs) cancel_tasks_of(job, params.who, params.reason);
    return answers;
}

std::vector<SteerStatus> JobSteering::pause_jobs(const SteerJobsParams& params) {
    return steer_each(
        params, [&](Orchestrator& orchestrator, const Uuid& job) { return orchestrator.pause(job, params.reason); });
}

std::vector<SteerStatus> JobSteering::resume_jobs(const SteerJobsParams& params) {
    return steer_each(
        params, [&](Orchestrator& orchestrator, const Uuid& job) { return orchestrator.resume(job, params.reason); });
}

DecideStatus JobSteering::decide_approval(const DecideParams& params) {
    check_remark(params.who, params.reason);
    return ordered(params.job, params.who, [&](Orchestrator& orchestrator) { return orchestrator.decide(params); });
}

RetryStatus JobSteering::retry_job(const RetryJobParams& params) {
    check_remark(params.who);
    return ordered(params.job, params.who, [&](Orchestrator& orchestrator) { return orchestrator.retry(params); });
}

RepairAnswer JobSteering::repair_jobs(const RepairParams& params) {
    const auto roots = open_roots(params);
    RepairAnswer answer;
    for (const auto& root : roots) {
        const auto before = answer;
        if (const auto fault = fault_of_jobs<std::exception>([&] { repair_tree(root, params.who, answer); })) {
            answer = before;
            answer.poison.emplace_back(root, *fault);
        }
    }
    answer.more = !roots.empty() && roots.size() == params.limit;
    if (!roots.empty()) answer.last = roots.back();
    return answer;
}

SubmitOutcome start_slot(Orchestrator& orchestrator, const FireParams& params, const ScheduleRecord& record,
                         const Uuid& replaced) {
    if (!replaced.is_nil())
        (void)orchestrator.cancel(replaced, error_code::job_cancelled, replaced_reason(params.schedule), Cause::Rule);
    return orchestrator.start({*params.job, record.schedule.definition, record.schedule.input, params.who, {}}, true);
}

bool is_started(const SubmitOutcome& outcome) {
    return outcome.status != SubmitStatus::Refused && outcome.status != SubmitStatus::TooOld;
}

}  // namespace holdfast::store
