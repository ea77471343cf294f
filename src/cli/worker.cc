#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/text.h"
#include "cli/schedule_changes.h"
#include "cli/session.h"
#include "cli/sweep_settings.h"
#include "holdfast/version.h"
#include "platform/log_writer.h"
#include "platform/real_clock.h"
#include "platform/sd_notify.h"
#include "worker/capabilities.h"
#include "worker/worker_process.h"

namespace holdfast::cli {

namespace {

struct WorkerFlags {
    std::string name, concurrency, isolation;
    std::vector<std::string> queues, tags;
    bool no_sweep = false;
};

/// They stand for fields of the configuration.
std::vector<config::FlagOverride> overrides(const WorkerFlags& flags) {
    std::vector<config::FlagOverride> given;
    const auto add = [&](const char* flag, const char* key, const std::string& value) {
        if (!value.empty()) given.push_back({flag, key, value});
    };
    add("--name", "worker.name", flags.name);
    add("--queue", "worker.queues", join(flags.queues, ","));
    add("--tag", "worker.tags", join(flags.tags, ","));
    add("--concurrency", "worker.max_concurrent_tasks", flags.concurrency);
    add("--isolation", "worker.isolation", flags.isolation);
    return given;
}

store::WorkerRegistration registration_of(const config::Config& config, const FunctionTable& functions) {
    store::WorkerRegistration registration;
    registration.name = config.worker.name.value_or("");
    registration.version = HOLDFAST_VERSION;
    registration.queues = config.worker.queues;
    registration.tags = worker::detect_capabilities({.isolation = config.worker.isolation,
                                                     .tags = config.worker.tags,
                                                     .container_command = container_tool(config.worker).command},
                                                    functions);
    registration.capacity = config.worker.max_concurrent_tasks;
    registration.beat_interval = config.worker.heartbeat_interval;
    registration.fence_after = std::max(config.recovery.worker_stale_threshold, 3 * config.worker.heartbeat_interval);
    return registration;
}

engine::WorkerSettings settings_of(const config::Config& config, const FunctionTable& functions) {
    engine::WorkerSettings settings;
    settings.registration = registration_of(config, functions);
    settings.task_timeout = config.worker.task_timeout;
    settings.claimer_history = config.recovery.claimer_heartbeat_interval;
    settings.runner_history = config.recovery.runner_heartbeat_interval;
    settings.snapshot_interval = config.worker.snapshot_interval;
    settings.runner_silence = config.recovery.running_stale_threshold;
    settings.stop_grace = config.worker.stop_grace;
    settings.shutdown_grace = config.worker.shutdown_grace;
    settings.says_debug = config.log.level == LogLevel::Debug;
    settings.proves_session = config.store.session_liveness;
    return settings;
}

worker::WorkerPlan plan_for(const config::Config& config, const FunctionTable& functions, bool sweeps) {
    worker::WorkerPlan plan;
    if (sweeps) plan.sweep = sweep_settings(config);
    plan.liveness_interval = config.recovery.liveness_interval;
    plan.store = connect_params(config, Access::CreateAndMigrate);
    plan.settings = settings_of(config, functions);
    plan.isolation = config.worker.isolation;
    plan.limits = {.max_tasks_per_runner = config.worker.max_tasks_per_runner,
                   .memory_bytes = config.worker.runner_memory_limit.value_or(0),
                   .max_payload = static_cast<std::int64_t>(config.store.max_payload_bytes),
                   .containers = container_tool(config.worker)};
    return plan;
}

/// Tells systemd how the worker is doing.
class Announcer {
public:
    Announcer(const Io& io, const config::WorkerConfig& config)
        : notify_(io.environment), status_(fmt::format("runs up to {} tasks", config.max_concurrent_tasks)) {}

    void attach(worker::WorkerPlan& plan) {
        plan.announce = [this](engine::Announce::What what) {
            if (what == engine::Announce::What::Ready)
                notify_.ready(status_);
            else
                notify_.stopping("drains: lets running tasks end");
        };
        plan.turned = [this] { give_sign_of_life(); };
    }

private:
    // A loop that does not turn gives none, and systemd restarts the service.
    void give_sign_of_life() {
        const auto interval = notify_.alive_interval();
        if (!interval || platform::machine_time() < next_sign_) return;
        next_sign_ = platform::machine_time() + *interval;
        notify_.alive();
    }

    platform::SdNotify notify_;
    std::string status_;
    Duration next_sign_{};
};

/// A worker with a configuration file is all that its schedules need.
void put_schedules_of(const config::Config& config, store::Store& store, const std::string& who, Log& log) {
    if (config.schedules.empty()) return;
    const ScheduleChanges changes = put_schedules(store, config.schedules, who);
    const auto count = [&](ScheduleChange change) { return std::to_string(changes.count(change)); };
    log.write({LogLevel::Info,
               "The schedules of the configuration are in the store",
               {{"file", config.file},
                {"new", count(ScheduleChange::New)},
                {"changed", count(ScheduleChange::Changed)},
                {"unchanged", count(ScheduleChange::Unchanged)}}});
}

ExitCode run_worker(Session& session, const WorkerFlags& flags) {
    const config::Config config = session.load_config(overrides(flags));
    platform::LogWriter log(session.io.err, config.log.format, config.log.level, platform::real_clock());
    Announcer announcer(session.io, config.worker);
    worker::WorkerPlan plan = plan_for(config, session.functions, !flags.no_sweep);
    announcer.attach(plan);
    plan.prepare = [&](store::Store& store) { put_schedules_of(config, store, session.who(), log); };
    worker::WorkerProcess process(std::move(plan), session.functions, log);
    return static_cast<ExitCode>(process.run());
}

}  // namespace

void add_worker(CLI::App& program, Action& chosen) {
    auto given = std::make_shared<WorkerFlags>();
    auto* command = program.add_subcommand("worker", "Run tasks, until SIGTERM or SIGINT");
    command->add_option("--name", given->name, "What people call it (default: the name of the host)")
        ->type_name("NAME");
    command->add_option("--queue", given->queues, "A queue that it takes tasks from (repeatable; default: default)")
        ->type_name("NAME")
        ->allow_extra_args(false);
    command
        ->add_option("--tag", given->tags,
                     "A tag that it carries, beside those that it finds out itself (repeatable)")
        ->type_name("TAG")
        ->allow_extra_args(false);
    command->add_option("--concurrency", given->concurrency, "How many tasks it runs at once (default: 10)")
        ->type_name("N");
    command->add_option("--isolation", given->isolation, "Where functions run: process (default) or thread")
        ->type_name("WORD");
    command->add_flag("--no-sweep", given->no_sweep, "Leave recovery to other workers");
    command->callback(
        [given, &chosen] { chosen = [given](Session& session) { return run_worker(session, *given); }; });
}

}  // namespace holdfast::cli
