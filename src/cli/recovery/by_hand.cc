#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/tasks/timeline.h"
#include "cli/terminal/words.h"
#include "engine/recovery/manual_recovery.h"
#include "platform/system_random.h"
#include "server/remote/server_link.h"
#include "views/recovery.h"

namespace holdfast::cli {

namespace {

// ---- Stale tasks ----------------------------------------------------------------------------------

Row stale_row(const engine::StaleTask& stale) {
    return {{stale.lease.lease.task.to_string()},
            {stale.lease.name},
            {std::string(views::state_of(stale)), Tone::Busy},
            {rough_duration(stale.quiet_for)},
            {stale.worker_name.empty() ? stale.lease.worker.to_string() : stale.worker_name},
            stale.worker_is_alive ? Cell{"beats", Tone::Good} : Cell{"silent", Tone::Bad},
            {stale.hostname.empty() ? "-" : stale.hostname}};
}

std::vector<engine::StaleTask> find_stale(const Session& session, const std::optional<Duration>& threshold) {
    if (const auto server = session.server()) return remote::stale_tasks(*server, threshold);
    const config::Config config = session.load_config();
    const auto store = session.open_store_itself(config, Access::AsItIs);
    return views::find_stale(*store, config.recovery, threshold);
}

ExitCode list_stale(Session& session, const std::string& threshold) {
    const auto found = find_stale(session, read_duration_if_given("--threshold", threshold));
    session.list({"TASK", "NAME", "STATE", "QUIET FOR", "WORKER", "WORKER IS", "HOST"}, found, stale_row);
    if (found.empty() && !session.globals.json) session.io.out << "no task is stale\n";
    return ExitCode::Done;
}

struct Settling {
    const char* word;
    const char* help;
    const char* key;  // the key with the default value
    Duration config::RecoveryConfig::*threshold;
    engine::ManualAnswer (*settle)(store::RecoveryStore&, Random&, const engine::ManualParams&);
    const char* done;
};
constexpr Settling settlings[] = {
    {"fail-running", "End stale RUNNING tasks as crashed, each by its policy", "recovery.running_stale_threshold_ms",
     &config::RecoveryConfig::running_stale_threshold, engine::fail_stale_running, "ended as crashed"},
    {"requeue-claimed", "Send stale CLAIMED tasks back to PENDING", "recovery.claimed_stale_threshold_ms",
     &config::RecoveryConfig::claimed_stale_threshold, engine::requeue_stale_claimed, "requeued"},
};

engine::ManualAnswer settled(const Session& session, const Settling& settling,
                             const std::optional<Duration>& threshold) {
    if (const auto server = session.server()) return remote::settle(*server, settling.word, threshold);
    const config::Config config = session.load_config();
    const auto store = session.open_store_itself(config, Access::AsItIs);
    platform::SystemRandom random;
    return settling.settle(
        *store, random, {.threshold = threshold.value_or(config.recovery.*settling.threshold), .who = session.who()});
}

ExitCode settle(Session& session, const Settling& settling, const std::string& threshold) {
    const auto given = read_duration_if_given("--threshold", threshold);
    return session.show(settled(session, settling, given), [&](const Io& io, const engine::ManualAnswer& answer) {
        io.out << fmt::format("{} {}\n", answer.settled, settling.done);
        if (answer.asked > 0)
            io.out << fmt::format(
                "{} asked to stop: their workers may live, and confirm; look again with 'holdfast recovery stale'\n",
                answer.asked);
    });
}

// ---- Retention ------------------------------------------------------------------------------------

void print_pruned(const Io& io, const store::PruneAnswer& pruned, const config::RetentionConfig& retention,
                  bool dry_run) {
    const auto line = [&](std::int64_t count, const char* what, const std::optional<Duration>& kept) {
        const std::string number = dry_run && count >= static_cast<std::int64_t>(store::max_batch_rows)
                                       ? fmt::format("at least {}", count)
                                       : std::to_string(count);
        const std::string age =
            kept ? fmt::format("older than {}h", std::chrono::floor<std::chrono::hours>(*kept).count())
                 : "kept for ever";
        io.out << fmt::format("{} {} ({})\n", number, what, age);
    };
    io.out << (dry_run ? "would remove:\n" : "removed:\n");
    line(pruned.tasks, "ended tasks, with their attempts, logs and events", retention.terminal_record);
    line(pruned.jobs, "ended jobs, with their children, steps and tasks", retention.terminal_record);
    line(pruned.workers, "workers that have left", retention.worker_state);
    line(pruned.heartbeats, "heartbeats", retention.heartbeat);
    line(pruned.worker_states, "worker states", retention.worker_state);
}

store::PruneAnswer pruned_by(const Session& session, const config::Config& config, const views::PruneOrder& order) {
    if (const auto server = session.server()) return remote::prune(*server, order);
    return views::prune(*session.open_store_itself(config, Access::AsItIs), config.retention, order);
}

ExitCode prune(Session& session, const views::PruneOrder& order) {
    const config::Config config = session.load_config();
    const store::PruneAnswer pruned = pruned_by(session, config, order);
    const bool is_refused = !pruned.doubt.empty() && !order.dry_run;
    if (session.globals.json) {
        session.print(views::to_json_shape(views::PruneView{order.dry_run, pruned}));
    } else {
        if (!is_refused) print_pruned(session.io, pruned, config.retention, order.dry_run);
        if (!pruned.doubt.empty())
            session.io.err << fmt::format("holdfast: nothing {}: {}\n",
                                          is_refused ? "was removed" : "would be removed now", pruned.doubt);
    }
    return is_refused ? ExitCode::Failed : ExitCode::Done;
}

}  // namespace

void add_recovery_stale(Command& recovery) {
    auto [command, threshold] =
        recovery.add("stale", "CLAIMED and RUNNING tasks of which nothing was heard for a while", list_stale);
    command.text("--threshold", threshold, "DURATION",
                 "Quiet for longer than this (default: recovery.claimed_/running_stale_threshold_ms)");
}

void add_recovery_settle(Command& recovery) {
    for (const Settling& settling : settlings) {
        auto [command, threshold] = recovery.add<std::string>(
            settling.word, settling.help,
            [&settling](Session& session, const std::string& given) { return settle(session, settling, given); });
        command.text("--threshold", threshold, "DURATION",
                     fmt::format("Quiet for longer than this (default: {})", settling.key));
    }
}

void add_recovery_prune(Command& recovery) {
    auto [command, order] = recovery.add("prune", "Remove history that is older than it has to be kept", prune);
    const Option dry_run = command.flag("--dry-run", order.dry_run, "Only say what would be removed");
    command.flag("--yes", order.clock_is_right, "Remove it even while the store's clock is in doubt")
        .excludes(dry_run);
}

}  // namespace holdfast::cli
