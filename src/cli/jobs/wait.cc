#include <CLI/CLI.hpp>
#include <ostream>

#include "cli/jobs/commands.h"
#include "cli/jobs/job_ending.h"
#include "cli/jobs/job_ids.h"
#include "cli/terminal/words.h"

namespace holdfast::cli {

namespace {

struct WaitCommand {
    std::string id;
    std::string timeout;
};

ExitCode wait(Session& session, const WaitCommand& command) {
    std::optional<Duration> timeout;
    if (!command.timeout.empty()) timeout = read_duration("--timeout", command.timeout);
    const auto store = session.open_store(Access::AsItIs);
    const JobEnding ending = follow_job(session, SignalNotes(), *store, resolve_job(*store, command.id).id, timeout);
    if (!session.globals.json) return report_job_ending(session.io, ending);
    Json answer = {{"id", ending.id.to_string()}};
    answer.update(to_json_shape(ending));
    session.io.out << views::dump_line(answer) << '\n';
    return exit_code_of(ending);
}

}  // namespace

void add_jobs_wait(CLI::App& jobs, Action& chosen) {
    auto given = std::make_shared<WaitCommand>();
    auto* command = jobs.add_subcommand("wait", "Show a job's steps until it has ended; prints its output");
    command->add_option("ID", given->id, "Its id, or the beginning of it")->required()->type_name("");
    command->add_option("--timeout", given->timeout, "Wait at most this long")->type_name("DURATION");
    command->callback([given, &chosen] { chosen = [given](Session& session) { return wait(session, *given); }; });
}

}  // namespace holdfast::cli
