#include "server/api/sweep_settings.h"

#include "platform/zone_files.h"

namespace holdfast::api {

engine::SweepSettings sweep_settings(const config::Config& config) {
    const config::RecoveryConfig& recovery = config.recovery;
    engine::SweepSettings settings;
    settings.thresholds = {.worker_stale = recovery.worker_stale_threshold,
                           .disconnect_grace = recovery.disconnect_grace,
                           .claimed_stale = recovery.claimed_stale_threshold,
                           .running_stale = recovery.running_stale_threshold,
                           .auto_requeue_stale_claimed = recovery.auto_requeue_stale_claimed,
                           .auto_fail_stale_running = recovery.auto_fail_stale_running};
    settings.check_interval = recovery.check_interval;
    settings.unmatched_grace = recovery.unmatched_step_timeout;
    settings.unmatched_steps = recovery.unmatched_steps;
    settings.retention = {.heartbeats = config.retention.heartbeat,
                          .worker_states = config.retention.worker_state,
                          .terminal = config.retention.terminal_record};
    settings.zones = [](const std::string& name) { return platform::read_zone(name); };
    return settings;
}

runner::ContainerTool container_tool(const config::WorkerConfig& config) {
    std::vector<std::string> command = config.container_command;
    command.insert(command.end(), config.container_options.begin(), config.container_options.end());
    return {.command = std::move(command), .run_options = config.container_run_options};
}

}  // namespace holdfast::api
