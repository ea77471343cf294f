#include <fmt/format.h>

#include <ostream>

#include "cli/commands.h"
#include "cli/ids.h"
#include "cli/terminal/json_shapes.h"
#include "client/job_operations.h"

namespace holdfast::cli {

namespace {

void require_retryable(const JobInfo& job) {
    const std::string id = job.id.to_string();
    if (!job.parent.is_nil())
        throw WrongState(
            fmt::format("job {} was started by another; retry the one at the top: {}", id, job.root.to_string()));
    if (!is_terminal(job.state))
        throw WrongState(
            fmt::format("job {} is {}; only a job that has ended can be retried", id, to_text(job.state)));
    if (job.state == JobState::Completed)
        throw WrongState(fmt::format(
            "job {} is COMPLETED: there is nothing to retry; 'holdfast run {}' starts a new one", id, job.workflow));
}

void print_retried(const Session& session, const Uuid& old_id, const Uuid& new_id) {
    const Io& io = session.io;
    if (session.globals.json)
        io.out << Json{{"id", new_id.to_string()}, {"retry_of", old_id.to_string()}}.dump() << '\n';
    else if (io.terminal)
        io.out << "started " << paint(io, Tone::Strong, new_id.to_string()) << " as a retry of " << old_id.to_string()
               << ", with what had succeeded there\n";
    else
        io.out << new_id.to_string() << '\n';
}

ExitCode retry_job(Session& session, const std::string& given_id) {
    const auto store = session.open_store(Access::AsItIs);
    const JobInfo job = resolve_job(*store, given_id);
    require_retryable(job);
    print_retried(session, job.id, client::retry_ended_job(*store, job.id, session.who()));
    return ExitCode::Done;
}

}  // namespace

void add_jobs_retry(Command& jobs) {
    auto [command, id] = jobs.add("retry", "Start a job again from where it failed; prints the new id", retry_job);
    command.argument("ID", id, "Its id, or the beginning of it");
}

}  // namespace holdfast::cli
