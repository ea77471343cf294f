#include "sim/exhaustive.h"

namespace holdfast::sim {

namespace {

using namespace std::chrono_literals;

constexpr CallFault call_faults[] = {CallFault::Before, CallFault::InDoubt, CallFault::KillBefore,
                                     CallFault::KillAfter};

WorldPlan small_plan(int workers, std::size_t tasks, Duration busy_for) {
    WorldPlan plan;
    plan.workers = workers;
    plan.sweepers = 1;
    plan.clients = 1;
    plan.capacity = 1;
    plan.tasks = tasks;
    plan.busy_for = busy_for;
    plan.beat_interval = 1s;
    plan.sweep.thresholds.worker_stale = 6s;
    plan.sweep.thresholds.claimed_stale = 20s;
    plan.sweep.thresholds.running_stale = 60s;
    plan.sweep.check_interval = 5s;
    plan.sweep.unmatched_grace = 10s;
    plan.queues = {"default"};
    plan.keys = {"key-1"};
    plan.only_submits = true;
    return plan;
}

WorldPlan job_plan() {
    WorldPlan plan = small_plan(2, 0, 10s);
    plan.jobs = 2;
    return plan;
}

}  // namespace

const std::vector<Scenario>& scenarios() {
    static const std::vector<Scenario> all = {
        {"one-task", "one task, one worker, one sweeper: every call", small_plan(1, 1, 4s), false},
        {"one-task-pairs", "one task, one worker, one sweeper: every pair of calls", small_plan(1, 1, 4s), true},
        {"three-tasks", "three tasks, two workers, one sweeper: every call", small_plan(2, 3, 10s), false},
        {"job", "two jobs of a few steps, two workers, one sweeper: every call", job_plan(), false},
    };
    return all;
}

const Scenario* find_scenario(const std::string& name) {
    for (const Scenario& scenario : scenarios())
        if (scenario.name == name) return &scenario;
    return nullptr;
}

void run_exhaustively(const Scenario& scenario, std::uint64_t seed,
                      const std::function<bool(const RunOptions&, const RunReport&)>& tell) {
    RunOptions options;
    options.seed = seed;
    options.plan = scenario.plan;
    options.limits.kinds.emplace();  // none but the scripted ones
    const auto run = [&](std::vector<ScriptedFault> script) {
        options.script = std::move(script);
        return tell(options, World(options).run());
    };
    const RunReport smooth = World(options).run();
    if (!tell(options, smooth)) return;
    const std::uint64_t calls = smooth.busy_calls;
    for (std::uint64_t first = 1; first <= calls; ++first)
        for (const CallFault fault : call_faults)
            if (!run({{first, fault}})) return;
    if (!scenario.in_pairs) return;
    for (std::uint64_t first = 1; first <= calls; ++first)
        for (std::uint64_t second = first + 1; second <= calls; ++second)
            for (const CallFault fault : call_faults)
                for (const CallFault other : call_faults)
                    if (!run({{first, fault}, {second, other}})) return;
}

}  // namespace holdfast::sim
