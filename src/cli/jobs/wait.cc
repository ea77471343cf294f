#include <ostream>

#include "cli/commands.h"
#include "cli/ids.h"
#include "cli/jobs/job_ending.h"
#include "cli/terminal/words.h"

namespace holdfast::cli {

namespace {

struct WaitCommand {
    std::string id;
    std::string timeout;
};

ExitCode wait_for_job(Session& session, const WaitCommand& command) {
    const auto timeout = read_duration_if_given("--timeout", command.timeout);
    const auto store = session.open_store(Access::AsItIs);
    const JobEnding ending = follow_job(session, SignalNotes(), *store, resolve_job(*store, command.id).id, timeout);
    if (!session.globals.json) return report_job_ending(session.io, ending);
    Json answer = {{"id", ending.id.to_string()}};
    answer.update(to_json_shape(ending));
    session.print(answer);
    return exit_code_of(ending);
}

}  // namespace

void add_jobs_wait(Command& jobs) {
    auto [command, given] =
        jobs.add("wait", "Show a job's steps until it has ended; prints its output", wait_for_job);
    command.argument("ID", given.id, "Its id, or the beginning of it");
    command.text("--timeout", given.timeout, "DURATION", "Wait at most this long");
}

}  // namespace holdfast::cli
