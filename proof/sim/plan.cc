#include "proof/sim/plan.h"

#include "store/migration.h"

namespace holdfast::sim {

namespace {

using namespace std::chrono_literals;

/// Shorter than the defaults, in the same proportions: more happens in an hour.
void hurry(WorldPlan& plan) {
    plan.beat_interval = 1s;
    plan.sweep.thresholds.worker_stale = 6s;
    plan.sweep.thresholds.disconnect_grace = 2s;
    plan.sweep.thresholds.claimed_stale = 20s;
    plan.sweep.thresholds.running_stale = 60s;
    plan.sweep.check_interval = 5s;
    plan.sweep.unmatched_grace = 10s;
}

}  // namespace

WorldPlan draw_plan(Dice dice) {
    WorldPlan plan;
    plan.one_machine = dice.chance(0.6);
    plan.machines = plan.one_machine ? 1 : dice.between(2, 4);
    plan.workers = dice.between(1, 6);
    plan.sweepers = dice.between(1, 3);
    plan.clients = dice.between(1, 3);
    plan.workers_sweep = dice.chance(0.2);
    plan.capacity = dice.between(1, 4);
    plan.tasks = static_cast<std::size_t>(dice.between(20, 200));
    if (dice.chance(0.6)) plan.jobs = static_cast<std::size_t>(dice.between(1, 25));
    plan.busy_for = dice.between(Duration(5min), Duration(20min));
    if (dice.chance(0.7)) hurry(plan);
    plan.sweep.retention.heartbeats = dice.between(Duration(1min), Duration(30min));
    plan.sweep.retention.worker_states = dice.between(Duration(1min), Duration(30min));
    plan.sweep.retention.terminal = dice.between(Duration(5min), Duration(2h));
    plan.queues = {"default"};
    if (dice.chance(0.5)) plan.queues.emplace_back("second");
    for (int key = dice.between(0, 3); key > 0; --key) plan.keys.push_back("key-" + std::to_string(key));
    plan.call_latency_ms = dice.chance(0.5) ? 1 : 20;
    if (dice.chance(0.4)) plan.schedules = dice.between(1, 2);
    plan.in_bursts = dice.chance(0.3);
    if (plan.in_bursts) plan.tasks *= 5;
    if (dice.chance(0.1)) plan.long_outage_at = dice.between(Duration(1min), plan.busy_for / 2);
    if (dice.chance(0.25)) plan.first_schema = dice.between(1, sqlite::embedded_migrations().back().number - 1);
    if (plan.first_schema == 0)
        for (const std::string& key : plan.keys)
            if (dice.chance(0.25)) plan.shared_keys[key] = dice.between(1, most_asked);
    plan.claims_go = static_cast<engine::ClaimsGo>(dice.below(3));
    return plan;
}

engine::WorkerSettings worker_settings(const WorldPlan& plan) {
    engine::WorkerSettings settings;
    settings.registration.version = "simulated";
    settings.registration.capacity = plan.capacity;
    settings.registration.beat_interval = plan.beat_interval;
    settings.registration.fence_after = std::max(plan.sweep.thresholds.worker_stale, 3 * plan.beat_interval);
    settings.runner_silence = plan.sweep.thresholds.running_stale;
    settings.task_timeout = 300s;
    settings.proves_session = false;
    settings.claims_go = plan.claims_go;
    return settings;
}

Duration settling_bound(const WorldPlan& plan) {
    // The rest runs one after the other: a tenth of the runs takes minutes, a job has up to six steps.
    const auto tasks = static_cast<Duration::rep>(plan.tasks + 6 * plan.jobs);
    return 1h + core::longest_fence + 5 * plan.sweep.thresholds.running_stale +
           Duration(30s) * tasks / (plan.workers * plan.capacity);
}

}  // namespace holdfast::sim
