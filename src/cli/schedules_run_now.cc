#include <CLI/CLI.hpp>
#include <ostream>

#include "cli/schedule_view.h"
#include "cli/schedules_commands.h"
#include "client/job_operations.h"

namespace holdfast::cli {

namespace {

ExitCode run_now(Session& session, const std::string& name) {
    const auto store = session.open_store(Access::AsItIs);
    const auto schedule = find_schedule(*store, name).schedule;
    const Uuid job = client::start_job(
        *store,
        {.id = {}, .definition = schedule.definition, .input = schedule.input, .who = session.who(), .retry_of = {}});
    if (session.globals.json)
        session.io.out << Json{{"id", job.to_string()}, {"schedule", name}}.dump() << '\n';
    else
        session.io.out << job.to_string() << '\n';
    return ExitCode::Done;
}

}  // namespace

void add_schedules_run_now(CLI::App& schedules, Action& chosen) {
    auto name = std::make_shared<std::string>();
    auto* command =
        schedules.add_subcommand("run-now", "Start a job of a schedule now, beside its slots; prints the job's id");
    command->add_option("NAME", *name, "Its name")->required()->type_name("");
    command->callback([name, &chosen] { chosen = [name](Session& session) { return run_now(session, *name); }; });
}

}  // namespace holdfast::cli
