#include <fmt/format.h>

#include <ostream>

#include "cli/commands.h"
#include "server/remote/server_calls.h"
#include "views/recovery.h"

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
        if (!is_refused) print(session.io, pruned, config.retention, order.dry_run);
        if (!pruned.doubt.empty())
            session.io.err << fmt::format("holdfast: nothing {}: {}\n",
                                          is_refused ? "was removed" : "would be removed now", pruned.doubt);
    }
    return is_refused ? ExitCode::Failed : ExitCode::Done;
}

}  // namespace

void add_recovery_prune(Command& recovery) {
    auto [command, order] = recovery.add("prune", "Remove history that is older than it has to be kept", prune);
    const Option dry_run = command.flag("--dry-run", order.dry_run, "Only say what would be removed");
    command.flag("--yes", order.clock_is_right, "Remove it even while the store's clock is in doubt")
        .excludes(dry_run);
}

}  // namespace holdfast::cli
