#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/server/put_catalog.h"
#include "holdfast/version.h"
#include "platform/log_writer.h"
#include "platform/real_clock.h"
#include "platform/sd_notify.h"
#include "platform/system_random.h"
#include "server/process/container_settings.h"
#include "server/remote/remote_worker_store.h"
#include "views/recovery.h"
#include "worker/capabilities.h"
#include "worker/worker_process.h"

namespace holdfast::cli {

namespace {

struct WorkerFlags {
    std::string name, concurrency, isolation;
    std::vector<std::string> queues, tags, pass_env, runners;
    bool no_sweep = false;
};

/// The flags as overrides of the configuration.
std::vector<config::FlagOverride> overrides(const WorkerFlags& flags) {
    return given_only({{"--name", "worker.name", flags.name},
                       {"--queue", "worker.queues", join(flags.queues, ",")},
                       {"--tag", "worker.tags", join(flags.tags, ",")},
                       {"--concurrency", "worker.max_concurrent_tasks", flags.concurrency},
                       {"--isolation", "worker.isolation", flags.isolation},
                       {"--pass-env", "worker.pass_env", join(flags.pass_env, ",")}});
}

/// Empty: with run_as it runs no containers.
std::vector<std::string> command_for_containers(const config::WorkerConfig& config) {
    if (!config.run_as.empty()) return {};
    return server::container_tool(config).command;
}

std::optional<core::RunAs> run_as(const config::WorkerConfig& config) {
    if (config.run_as.empty()) return std::nullopt;
    return core::parse_run_as(config.run_as).value();
}

store::WorkerRegistration registration_of(const config::Config& config, const FunctionTable& functions) {
    store::WorkerRegistration registration;
    registration.name = config.worker.name.value_or("");
    registration.version = HOLDFAST_VERSION;
    registration.queues = config.worker.queues;
    registration.tags = worker::detect_capabilities({.isolation = config.worker.isolation,
                                                     .tags = config.worker.tags,
                                                     .container_command = command_for_containers(config.worker)},
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
    if (sweeps) plan.sweep = views::sweep_settings(config);
    plan.liveness_interval = config.recovery.liveness_interval;
    plan.store = connect_params(config, Access::CreateAndMigrate);
    plan.settings = settings_of(config, functions);
    plan.isolation = config.worker.isolation;
    plan.limits = {.max_tasks_per_runner = config.worker.max_tasks_per_runner,
                   .memory_bytes = config.worker.runner_memory_limit.value_or(0),
                   .max_payload = static_cast<std::int64_t>(config.store.max_payload_bytes),
                   .containers = server::container_tool(config.worker),
                   .pass_env = config.worker.pass_env,
                   .max_processes = config.worker.runner_process_limit.value_or(0),
                   .scratch_bytes = config.worker.scratch.value_or(0),
                   .secret_sources = config::secret_sources(config),
                   .run_as = run_as(config.worker)};
    plan.runners = config.worker.runners;
    plan.secret_variables = config::secret_variables(config);
    return plan;
}

/// Reports the status of the worker to systemd.
void attach(platform::SdNotify& notice, const config::WorkerConfig& config, worker::WorkerPlan& plan) {
    plan.announce = [&notice, most = config.max_concurrent_tasks](engine::Announce::What what) {
        if (what == engine::Announce::What::Ready)
            notice.ready(fmt::format("runs up to {} tasks", most));
        else
            notice.stopping("drains: lets running tasks end");
    };
    plan.turned = [&notice] { notice.turned(); };
}

/// Names separated by commas: the servers of one store.
std::vector<std::string> servers_in(const std::string& list) {
    std::vector<std::string> servers;
    for (const std::string_view each : split(list, ','))
        if (const std::string_view url = trimmed(each); !url.empty()) servers.emplace_back(url);
    return servers;
}

/// The worker reaches the store only through these servers. They recover; the worker does not sweep.
void put_behind(const Globals& globals, Random& random, Log& log, worker::WorkerPlan& plan) {
    const auto servers = std::make_shared<remote::WorkServers>(
        remote::WorkServers::Params{
            .urls = servers_in(globals.server), .token = globals.token, .ca_file = globals.ca_file},
        random, log);
    plan.connect_to_server = [servers] {
        return std::make_unique<remote::RemoteWorkerStore>(servers, platform::real_clock());
    };
    plan.testimony = [servers](const Uuid& worker) { return servers->as_text(worker); };
}

ExitCode run_worker(Session& session, const WorkerFlags& flags) {
    config::Config config = session.load_config(overrides(flags));
    if (!flags.runners.empty()) config.worker.runners = flags.runners;  // a command may contain commas
    platform::LogWriter log(session.io.err, config.log.format, config.log.level, platform::real_clock());
    platform::SdNotify notice(session.io.environment);
    platform::SystemRandom random;
    worker::WorkerPlan plan = plan_for(config, session.functions, !flags.no_sweep);
    attach(notice, config.worker, plan);
    if (!session.globals.server.empty()) put_behind(session.globals, random, log, plan);
    plan.prepare = [&](store::Store& store) { put_catalog(config, store, session.who(), log); };
    worker::WorkerProcess process(std::move(plan), session.functions, log);
    return static_cast<ExitCode>(process.run());
}

}  // namespace

void add_worker(Command& program) {
    auto [command, given] = program.add("worker", "Run tasks, until SIGTERM or SIGINT", run_worker);
    command.text("--name", given.name, "NAME", "What people call it (default: the name of the host)");
    command.texts("--queue", given.queues, "NAME", "A queue that it takes tasks from (repeatable; default: default)");
    command.texts("--tag", given.tags, "TAG",
                  "A tag that it carries, beside those that it finds out itself (repeatable)");
    command.text("--concurrency", given.concurrency, "N", "Its slots: how many tasks it runs at once (default: 10)");
    command.texts(
        "--runner", given.runners, "COMMAND",
        "A runner program whose functions it runs, such as 'python3 -m holdfast shop.tasks:app' (repeatable)");
    command.text("--isolation", given.isolation, "WORD", "Where functions run: process (default) or thread");
    command.texts("--pass-env", given.pass_env, "NAME",
                  "A variable of its environment that scripts and containers are given (repeatable)");
    command.flag("--no-sweep", given.no_sweep, "Leave recovery to other workers");
}

}  // namespace holdfast::cli
