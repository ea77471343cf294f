#include "proof/sim/exhaustive.h"

namespace holdfast::sim {

namespace {

using namespace std::chrono_literals;

constexpr CallFault call_faults[] = {CallFault::Before,     CallFault::AnswerLost, CallFault::RequestLost,
                                     CallFault::KillBefore, CallFault::KillAfter,  CallFault::Stop};

WorldPlan small_plan(int workers, std::size_t tasks) {
    WorldPlan plan;
    plan.workers = workers;
    plan.sweepers = 1;
    plan.clients = 1;
    plan.capacity = 1;
    plan.tasks = tasks;
    plan.busy_for = 30s;
    plan.beat_interval = 1s;
    plan.sweep.thresholds.worker_stale = 6s;
    plan.sweep.thresholds.claimed_stale = 20s;
    plan.sweep.thresholds.running_stale = 60s;
    plan.sweep.check_interval = 5s;
    plan.sweep.unmatched_grace = 10s;
    plan.queues = {"default"};
    plan.keys = {"key-1"};
    plan.only_submits = true;
    plan.in_bursts = true;
    plan.stops_after = 1500ms;  // two sweeps
    plan.starts_within = 100ms;
    plan.restarts_within = 1s;
    return plan;
}

WorldPlan burst_plan() {
    WorldPlan plan = small_plan(2, 40);
    plan.capacity = 2;
    return plan;
}

core::WorkflowStep step(const std::string& name, std::vector<std::string> depends_on) {
    core::WorkflowStep made;
    made.name = name;
    made.task = "work";
    made.depends_on = std::move(depends_on);
    made.policy.on_crash = OnCrash::Requeue;
    return made;
}

WorldPlan job_plan(std::vector<core::WorkflowStep> steps) {
    core::Workflow workflow;
    workflow.name = "main";
    workflow.steps = std::move(steps);
    workflow.on_success = {step("", {})};
    WorldPlan plan = small_plan(1, 0);
    plan.jobs = 1;
    plan.workflows = {core::bundle_of("main", {{"main", workflow}})};
    return plan;
}

std::vector<core::WorkflowStep> two_steps() {
    return {step("first", {}), step("second", {"first"})};
}

std::vector<core::WorkflowStep> fan_in() {
    return {step("left", {}), step("right", {}), step("both", {"left", "right"})};
}

std::shared_ptr<const DiskImage> image_of_new_store(const RunOptions& options) {
    World world(options);
    world.install();
    return std::make_shared<const DiskImage>(world.disk.image());
}

}  // namespace

const std::vector<Scenario>& scenarios() {
    static const std::vector<Scenario> all = {
        {"one-task", "one task, one worker, one sweeper: every call", small_plan(1, 1), false},
        {"one-task-pairs", "... and every pair of calls", small_plan(1, 1), true},
        {"three-tasks", "three tasks, two workers, one sweeper: every call", small_plan(2, 3), false},
        {"burst", "forty short tasks, two workers that claim ahead, one sweeper: every call", burst_plan(), false},
        {"two-step-job", "a job of two steps and a hook, one worker, one sweeper: every call", job_plan(two_steps()),
         false},
        {"two-step-job-pairs", "... and every pair of calls", job_plan(two_steps()), true},
        {"fan-in", "two steps, a third after both, a hook, one worker, one sweeper: every call", job_plan(fan_in()),
         false},
    };
    return all;
}

const Scenario* find_scenario(const std::string& name) {
    for (const Scenario& scenario : scenarios())
        if (scenario.name == name) return &scenario;
    return nullptr;
}

ExhaustiveCounts run_exhaustively(const Scenario& scenario, std::uint64_t seed, const Part& part,
                                  const std::function<bool(const RunOptions&, const RunReport&)>& tell) {
    RunOptions options;
    options.seed = seed;
    options.plan = scenario.plan;
    options.limits.kinds.emplace();  // only scripted faults
    options.image = image_of_new_store(options);
    ExhaustiveCounts counts;
    std::uint64_t last_call = 0;  // of the previous run
    const auto run = [&](std::vector<ScriptedFault> script) {
        options.script = std::move(script);
        const RunReport report = World(options).run();
        last_call = report.busy_calls;
        return tell(options, report);
    };
    if (!run({})) return counts;
    counts.calls = last_call;
    for (std::uint64_t first = 1; first <= counts.calls; ++first) {
        if (first % part.of != part.number % part.of) continue;
        for (const CallFault fault : call_faults) {
            ++counts.single_faults;
            if (!run({{first, fault}})) return counts;
            if (!scenario.in_pairs) continue;
            // Up to the end of this run: its second part is the recovery from the first fault.
            const std::uint64_t calls = last_call;
            for (std::uint64_t second = first + 1; second <= calls; ++second)
                for (const CallFault other : call_faults) {
                    ++counts.pairs;
                    if (!run({{first, fault}, {second, other}})) return counts;
                }
        }
    }
    return counts;
}

}  // namespace holdfast::sim
