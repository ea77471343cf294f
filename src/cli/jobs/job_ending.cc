#include "cli/jobs/job_ending.h"

#include <fmt/format.h>

#include <chrono>
#include <ostream>

#include "base/visible_text.h"
#include "cli/jobs/job_view.h"
#include "cli/tasks/timeline.h"
#include "cli/terminal/look_pace.h"

namespace holdfast::cli {

namespace {

std::string failure_text(const JobInfo& job) {
    std::string text = fmt::format("job {} is {}", job.id.to_string(), to_text(job.state));
    if (job.error) text += fmt::format(" with {}", error_text(*job.error));
    return text;
}

std::string what_to_do(const JobEnding& ending) {
    const std::string id = ending.id.to_string();
    if (ending.job)
        return fmt::format(
            "{}; 'holdfast jobs show {}' tells more, 'holdfast jobs retry {}' runs it again from there",
            visible_line(failure_text(*ending.job)), id, id);
    if (ending.interrupted)
        return fmt::format("job {} goes on; 'holdfast jobs wait {}' follows it, 'holdfast jobs cancel {}' ends it",
                           id, id, id);
    return fmt::format("job {} has not ended yet; 'holdfast jobs wait {}' goes on waiting", id, id);
}

bool is_completed(const JobEnding& ending) {
    return ending.job && ending.job->state == JobState::Completed;
}

}  // namespace

JobEnding follow_job(const Session& session, const SignalNotes& /*signals*/, store::ClientStore& store,
                     const Uuid& job, std::optional<Duration> timeout) {
    LookPace pace(store);
    const auto view = make_job_view(session, store);
    const auto began = std::chrono::steady_clock::now();
    for (;;) {
        pace.begin();
        JobInfo seen = view->show(job);
        if (is_terminal(seen.state)) return {job, std::move(seen), false};
        if (SignalNotes::interrupted() || !session.io.out) return {job, std::nullopt, true};
        if (timeout && std::chrono::steady_clock::now() - began >= *timeout) return {job, std::nullopt, false};
        pace.rest();
    }
}

ExitCode report_job_ending(const Io& io, const JobEnding& ending) {
    if (is_completed(ending))
        io.out << ending.job->output << '\n';
    else
        io.err << fmt::format("holdfast: {}\n", what_to_do(ending));
    return exit_code_of(ending);
}

Json to_json_shape(const JobEnding& ending) {
    return {{"timed_out", !ending.job && !ending.interrupted},
            {"job", ending.job ? to_json_shape(*ending.job) : Json()}};
}

ExitCode exit_code_of(const JobEnding& ending) {
    return is_completed(ending) ? ExitCode::Done : ExitCode::Failed;
}

}  // namespace holdfast::cli
