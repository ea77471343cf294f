#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/server/put_catalog.h"
#include "cli/terminal/json_shapes.h"
#include "client/schedule_operations.h"
#include "server/remote/server_calls.h"

namespace holdfast::cli {

namespace {

void tell(const Session& session, const std::string& name, std::string_view status, const std::string& sentence) {
    session.tell(Json{{"schedule", name}, {"status", status}}, fmt::format("schedule {} {}", name, sentence));
}

void tell(const Session& session, const client::ScheduleChanges& changes, const std::string& file, bool dry_run) {
    for (const auto& [name, change] : changes.configured)
        tell(session, name, word_of(change), fmt::format("{} {}", dry_run ? "would be" : "is", word_of(change)));
    for (const std::string& name : changes.not_configured)
        tell(session, name, "not_configured",
             fmt::format("is not in {}, and stays; 'holdfast schedules remove {}' removes it", file, name));
}

client::ScheduleChanges apply(const Session& session, const config::Config& config, bool dry_run) {
    const auto wanted = definitions_of(config.schedules);
    if (const auto server = session.server()) return remote::apply_schedules(*server, wanted, dry_run);
    const auto store = session.open_store_itself(config, dry_run ? Access::AsItIs : Access::CreateAndMigrate);
    return dry_run ? client::compare_schedules(*store, wanted) : client::put_schedules(*store, wanted, session.who());
}

ExitCode apply_schedules(Session& session, bool dry_run) {
    const config::Config config = session.load_config();
    if (config.file.empty())
        throw BadInput("no configuration file was read; write one (holdfast.yaml), or name one with --config");
    tell(session, apply(session, config, dry_run), config.file, dry_run);
    return ExitCode::Done;
}

}  // namespace

void add_schedules_apply(Command& schedules) {
    auto [command, dry_run] =
        schedules.add("apply", "Put the schedules of the configuration file into the store", apply_schedules);
    command.flag("--dry-run", dry_run, "Only say what would change");
}

}  // namespace holdfast::cli
