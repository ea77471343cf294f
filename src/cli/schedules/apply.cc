#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ostream>

#include "cli/schedules/commands.h"
#include "cli/schedules/schedule_changes.h"
#include "cli/terminal/json_shapes.h"
#include "client/schedule_operations.h"
#include "server/remote/remote_schedules.h"

namespace holdfast::cli {

namespace {

void tell(const Session& session, const std::string& name, std::string_view status, const std::string& sentence) {
    if (session.globals.json)
        session.io.out << Json{{"schedule", name}, {"status", status}}.dump() << '\n';
    else
        session.io.out << fmt::format("schedule {} {}\n", name, sentence);
}

void tell(const Session& session, const client::ScheduleChanges& changes, const std::string& file, bool dry_run) {
    for (const auto& [name, change] : changes.configured)
        tell(session, name, client::to_text(change),
             fmt::format("{} {}", dry_run ? "would be" : "is", client::to_text(change)));
    for (const std::string& name : changes.not_configured)
        tell(session, name, "not_configured",
             fmt::format("is not in {}, and stays; 'holdfast schedules remove {}' removes it", file, name));
}

client::ScheduleChanges apply(const Session& session, const config::Config& config, bool dry_run) {
    const auto wanted = definitions_of(config.schedules);
    if (const auto server = session.server()) return remote::apply_schedules(*server, wanted, dry_run);
    const auto store = session.open_store(config, dry_run ? Access::AsItIs : Access::CreateAndMigrate);
    return dry_run ? client::compare_schedules(*store, wanted) : client::put_schedules(*store, wanted, session.who());
}

ExitCode apply(Session& session, bool dry_run) {
    const config::Config config = session.load_config();
    if (config.file.empty())
        throw BadInput("no configuration file was read; write one (holdfast.yaml), or name one with --config");
    tell(session, apply(session, config, dry_run), config.file, dry_run);
    return ExitCode::Done;
}

}  // namespace

void add_schedules_apply(CLI::App& schedules, Action& chosen) {
    auto dry_run = std::make_shared<bool>(false);
    auto* command = schedules.add_subcommand("apply", "Put the schedules of the configuration file into the store");
    command->add_flag("--dry-run", *dry_run, "Only say what would change");
    command->callback(
        [dry_run, &chosen] { chosen = [dry_run](Session& session) { return apply(session, *dry_run); }; });
}

}  // namespace holdfast::cli
