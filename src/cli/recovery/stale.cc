#include <fmt/format.h>

#include <ostream>

#include "cli/commands.h"
#include "cli/tasks/timeline.h"
#include "cli/terminal/words.h"
#include "server/remote/server_calls.h"
#include "views/recovery.h"

namespace holdfast::cli {

namespace {

std::vector<Cell> row_of(const engine::StaleTask& stale) {
    return {{stale.lease.lease.task.to_string()},
            {stale.lease.name},
            {std::string(views::state_of(stale)), Tone::Busy},
            {rough_duration(stale.quiet_for)},
            {stale.worker_name.empty() ? stale.lease.worker.to_string() : stale.worker_name},
            stale.worker_is_alive ? Cell{"beats", Tone::Good} : Cell{"silent", Tone::Bad},
            {stale.hostname.empty() ? "-" : stale.hostname}};
}

std::vector<engine::StaleTask> find(const Session& session, const std::optional<Duration>& threshold) {
    if (const auto server = session.server()) return remote::stale_tasks(*server, threshold);
    const config::Config config = session.load_config();
    const auto store = session.open_store_itself(config, Access::AsItIs);
    return views::find_stale(*store, config.recovery, threshold);
}

ExitCode list_stale(Session& session, const std::string& threshold) {
    const auto given = read_duration_if_given("--threshold", threshold);
    std::vector<std::vector<Cell>> rows;
    for (const auto& stale : find(session, given)) {
        if (session.globals.json) session.print(views::to_json_shape(stale));
        rows.push_back(row_of(stale));
    }
    if (session.globals.json) return ExitCode::Done;
    print_table(session.io, {"TASK", "NAME", "STATE", "QUIET FOR", "WORKER", "WORKER IS", "HOST"}, rows);
    if (rows.empty()) session.io.out << "no task is stale\n";
    return ExitCode::Done;
}

}  // namespace

void add_recovery_stale(Command& recovery) {
    auto [command, threshold] =
        recovery.add("stale", "CLAIMED and RUNNING tasks of which nothing was heard for a while", list_stale);
    command.text("--threshold", threshold, "DURATION",
                 "Quiet for longer than this (default: recovery.claimed_/running_stale_threshold_ms)");
}

}  // namespace holdfast::cli
