#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ostream>

#include "cli/recovery_commands.h"
#include "wire/recovery_view.h"

namespace holdfast::cli {

namespace {

void print(const Io& io, const store::PruneAnswer& pruned, const config::RetentionConfig& retention, bool dry_run) {
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
    line(pruned.workers, "workers that have left", retention.terminal_record);
    line(pruned.heartbeats, "heartbeats", retention.heartbeat);
    line(pruned.worker_states, "worker states", retention.worker_state);
}

ExitCode prune(Session& session, bool dry_run) {
    const config::Config config = session.load_config();
    const auto store = session.open_store(config, Access::AsItIs);
    const store::PruneAnswer pruned = wire::prune(*store, config.retention, dry_run);
    if (session.globals.json)
        session.io.out << wire::to_json_shape(pruned, dry_run).dump() << '\n';
    else
        print(session.io, pruned, config.retention, dry_run);
    return ExitCode::Done;
}

}  // namespace

void add_recovery_prune(CLI::App& recovery, Action& chosen) {
    auto dry_run = std::make_shared<bool>(false);
    auto* command = recovery.add_subcommand("prune", "Remove history that is older than it has to be kept");
    command->add_flag("--dry-run", *dry_run, "Only say what would be removed");
    command->callback(
        [dry_run, &chosen] { chosen = [dry_run](Session& session) { return prune(session, *dry_run); }; });
}

}  // namespace holdfast::cli
