#include "cli/commands.h"
#include "cli/ids.h"
#include "cli/terminal/json_shapes.h"
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
    session.tell(Json{{"id", job}, {"schedule", name}}, job);
    return ExitCode::Done;
}

}  // namespace

void add_schedules_run_now(Command& schedules) {
    auto [command, name] =
        schedules.add("run-now", "Start a job of a schedule now, beside its slots; prints the job's id", run_now);
    command.argument("NAME", name, "Its name");
}

}  // namespace holdfast::cli
