#include <algorithm>

#include "base/text.h"
#include "core/calendar/schedule.h"
#include "store_contract/differential_driver.h"
#include "store_contract/job_fixture.h"

namespace holdfast::contract {
namespace {

using namespace std::chrono_literals;
using core::StepKind;

const std::vector<std::string> schedule_names = {"hourly", "often"};

/// Counts an answer of both stores if it is the one that is looked for.
template <typename Answer>
Answer counted(Answer answer, Answer wanted, std::size_t& count) {
    if (answer == wanted) ++count;
    return answer;
}

}  // namespace

/// A step that may depend on the earlier ones.
core::WorkflowStep DifferentialDriver::new_step(const std::vector<core::WorkflowStep>& earlier) {
    auto step = a_step(concat("s", earlier.size()));
    for (const auto& before : earlier)
        if (chance(0.4)) step.depends_on.push_back(before.name);
    if (step.depends_on.size() > 1 && chance(0.4)) {
        step.join.kind = chance(0.5) ? core::JoinKind::Any : core::JoinKind::Quorum;
        if (step.join.kind == core::JoinKind::Quorum)
            step.join.quorum = static_cast<int>(1 + below(step.depends_on.size()));
    }
    step.allow_failed_deps = !step.depends_on.empty() && chance(0.2);
    if (chance(0.1)) step.when = chance(0.5) ? "input.n > 1" : "1 == 2";
    const auto kind = below(10);
    if (kind == 0) {
        step.kind = StepKind::Wait;
        step.wait_for = concat(1 + below(30), "s");
    } else if (kind == 1) {
        step.kind = StepKind::Approval;
        step.message = "go on with {{ input.n }}?";
        if (chance(0.5)) step.policy.timeout = std::chrono::seconds(1 + below(60));
    } else if (kind == 2) {
        step.kind = StepKind::Workflow;
        step.workflow = "child";
        step.input = {{"n", "{{ input.n }}"}};
    } else {
        step.input = {{"n", "{{ input.n }}"}};
        step.queue = any_of(queues);
        step.priority = static_cast<int>(1 + below(3));
        if (chance(0.4)) step.policy.retry.max_attempts = static_cast<int>(1 + below(3));
        if (chance(0.4)) step.policy.on_crash = OnCrash::Requeue;
        if (chance(0.2)) step.concurrency_key = concat("k", below(3));
        if (chance(0.2)) {
            step.for_each = nlohmann::json::array();
            for (std::size_t item = 0; item < below(4); ++item) step.for_each->push_back(item);
            step.sequential = chance(0.3);
            if (!step.sequential) step.parallel = static_cast<int>(below(3));
        }
    }
    if (step.kind != StepKind::Task) step.task.clear();
    return step;
}

core::Workflow DifferentialDriver::new_workflow(const std::string& name) {
    core::Workflow flow;
    flow.name = name;
    for (std::size_t i = 0; i < 1 + below(5); ++i) {
        auto step = new_step(flow.steps);
        if (name == "child" && step.kind == StepKind::Workflow) {
            step = a_step(step.name);
            step.queue = any_of(queues);
        }
        flow.steps.push_back(std::move(step));
    }
    if (chance(0.2)) flow.timeout = std::chrono::seconds(60 + below(7200));
    if (chance(0.1)) flow.queue_timeout = std::chrono::seconds(60 + below(600));
    if (chance(0.3)) flow.on_error = chance(0.5) ? core::OnError::Pause : core::OnError::Continue;
    if (chance(0.2)) flow.optional = {flow.steps.front().name};
    const auto add_hook = [&](std::vector<core::WorkflowStep>& hooks) {
        if (!chance(0.2)) return;
        hooks.push_back(a_step(""));
        hooks.back().queue = any_of(queues);
    };
    add_hook(flow.on_success);
    add_hook(flow.on_failure);
    add_hook(flow.on_cancel);
    return flow;
}

store::NewJob DifferentialDriver::new_job() {
    const std::map<std::string, core::Workflow> flows = {{"main", new_workflow("main")},
                                                         {"child", new_workflow("child")}};
    store::NewJob job;
    job.id = task_id();
    job.definition = core::to_json_text(core::bundle_of("main", flows));
    job.input = concat(R"({"n":)", below(4), "}");
    job.who = "ann";
    return job;
}

Uuid DifferentialDriver::some_job() {
    if (known_jobs_.empty() || chance(0.05)) return task_id();
    const std::size_t window = std::min<std::size_t>(known_jobs_.size(), 20);
    return known_jobs_[known_jobs_.size() - 1 - below(window)];
}

std::string DifferentialDriver::start_job() {
    std::vector<store::NewJob> jobs = {new_job()};
    if (chance(0.2)) jobs.push_back(new_job());
    if (chance(0.03)) jobs.back().definition = "{broken";
    for (const auto& job : jobs) known_jobs_.push_back(job.id);
    started_jobs_.insert(started_jobs_.end(), jobs.begin(), jobs.end());
    return both(concat("start job ", jobs[0].id.to_string(), " ", jobs[0].definition),
                [&](store::Store& store, bool) { return store.start_jobs(jobs); });
}

std::string DifferentialDriver::start_job_again() {
    if (started_jobs_.empty()) return "";
    auto job = any_of(started_jobs_);
    if (chance(0.3)) job.input = R"({"n":77})";
    return both("start again job " + job.id.to_string(),
                [&](store::Store& store, bool) { return store.start_jobs({job}); });
}

/// From now on its tasks and children are known as well.
void DifferentialDriver::get_to_know(const Uuid& job) {
    const auto learn = [](std::vector<Uuid>& known, const Uuid& id) {
        if (!id.is_nil() && std::find(known.begin(), known.end(), id) == known.end()) known.push_back(id);
    };
    for (const auto& step : first_.steps({.job = job})) {
        learn(known_tasks_, step.task);
        learn(known_jobs_, step.child);
    }
}

void DifferentialDriver::get_to_know_everything() {
    // What is known grows meanwhile: NOLINTNEXTLINE(modernize-loop-convert)
    for (std::size_t i = 0; i < known_jobs_.size(); ++i) get_to_know(known_jobs_[i]);
}

std::string DifferentialDriver::look_at_job() {
    const Uuid job = some_job();
    get_to_know(job);
    return both("look at job " + job.to_string(), [&](store::Store& store, bool is_first) {
        return (is_first ? first_text_ : second_text_).job(store, job);
    });
}

std::string DifferentialDriver::steer_jobs() {
    const store::SteerJobsParams params{.jobs = {some_job(), some_job()}, .who = "ann", .reason = "because"};
    const auto order = below(12);
    return both(concat("steer jobs ", order, " ", params.jobs[0].to_string(), " ", params.jobs[1].to_string()),
                [&](store::Store& store, bool) {
                    if (order == 0) return store.cancel_jobs(params);
                    return order <= 3 ? store.pause_jobs(params) : store.resume_jobs(params);
                });
}

/// An approval that is waited for, if one of late is.
std::string DifferentialDriver::decide() {
    store::DecideParams params{
        .job = some_job(), .step = "s1", .approve = chance(0.7), .who = "ann", .reason = "looked at it"};
    for (int tries = 0; tries < 10; ++tries) {
        const Uuid job = some_job();
        for (const auto& step : first_.steps({.job = job})) {
            if (step.kind != "approval" || is_terminal(step.state)) continue;
            params.job = job;
            params.step = step.name;
        }
    }
    return both(concat("decide ", params.step, " of ", params.job.to_string(), " ", params.approve),
                [&](store::Store& store, bool) {
                    return counted(store.decide_approval(params), store::DecideStatus::Applied, seen_.decisions);
                });
}

/// One that can be retried, if there is one.
std::string DifferentialDriver::retry_job() {
    store::RetryJobParams params{.job = some_job(), .new_id = task_id(), .who = "ann"};
    const auto ended = first_.list_jobs({.states = {JobState::Failed, JobState::Cancelled}, .limit = 20});
    if (!ended.empty() && chance(0.8)) params.job = any_of(ended).id;
    known_jobs_.push_back(params.new_id);
    return both(concat("retry job ", params.job.to_string(), " as ", params.new_id.to_string()),
                [&](store::Store& store, bool) {
                    return counted(store.retry_job(params), store::RetryStatus::Started, seen_.retries);
                });
}

std::string DifferentialDriver::sweep_jobs() {
    const auto choice = below(3);
    if (choice == 0)
        return both("end due waits", [&](store::Store& store, bool) { return concat(store.end_due_waits(1000)); });
    if (choice == 1)
        return both("cancel overdue jobs",
                    [&](store::Store& store, bool) { return concat(store.cancel_overdue_jobs(1000, "sweeper")); });
    return both("repair jobs", [&](store::Store& store, bool) {
        return store.repair_jobs({.after = {}, .limit = 10'000, .who = "sweeper"});
    });
}

std::string DifferentialDriver::change_schedule() {
    const auto name = any_of(schedule_names);
    const auto choice = below(5);
    store::ScheduleDefinition schedule;
    schedule.name = name;
    schedule.timing = concat(R"({"interval_ms":)", 60'000 * (1 + below(3)), "}");
    schedule.definition = new_job().definition;
    schedule.input = R"({"n":2})";
    return both(concat("change schedule ", choice, " ", name), [&](store::Store& store, bool is_first) {
        std::string answer;
        if (choice <= 1) store.put_schedule(schedule, "ann");
        if (choice == 2) answer = concat(store.set_schedule_paused(name, true, "ann"));
        if (choice == 3) answer = concat(store.set_schedule_paused(name, false, "ann"));
        if (choice == 4) answer = concat(store.remove_schedule(name, "ann"));
        return answer + (is_first ? first_text_ : second_text_)(store.schedules());
    });
}

std::string DifferentialDriver::fire() {
    const auto schedules = first_.schedules();
    if (schedules.empty()) return "";
    const auto& record = any_of(schedules);
    store::FireParams params;
    params.schedule = record.schedule.name;
    params.decided_until = chance(0.1) ? record.decided_until - 1s : record.decided_until;
    params.decide_until = record.decided_until + 1min;
    if (chance(0.8)) params.job = core::slot_id(params.schedule, record.created_at, params.decide_until);
    params.cancel_previous = chance(0.3);
    params.who = "scheduler";
    if (chance(0.3)) params.note = "2 missed";
    if (params.job) known_jobs_.push_back(*params.job);
    return both("fire " + params.schedule,
                [&](store::Store& store, bool) { return concat(counted(store.fire(params), true, seen_.fires)); });
}

}  // namespace holdfast::contract
