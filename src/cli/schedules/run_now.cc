#include <CLI/CLI.hpp>
#include <ostream>

#include "cli/schedules/commands.h"
#include "cli/schedules/schedule_view.h"
#include "client/job_operations.h"
#include "server/remote/server_link.h"

namespace holdfast::cli {

namespace {

std::string start_job(const Session& session, const std::string& name) {
    const auto store = session.open_store(Access::AsItIs);
    const auto schedule = find_schedule(*store, name).schedule;
    if (const auto server = session.server())
        return server->post(remote::path_of({"schedules", name, "run"})).at("id").get<std::string>();
    const Uuid job = client::start_job(
        *store,
        {.id = {}, .definition = schedule.definition, .input = schedule.input, .who = session.who(), .retry_of = {}});
    return job.to_string();
}

ExitCode run_now(Session& session, const std::string& name) {
    const std::string job = start_job(session, name);
    if (session.globals.json)
        session.io.out << Json{{"id", job}, {"schedule", name}}.dump() << '\n';
    else
        session.io.out << job << '\n';
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
