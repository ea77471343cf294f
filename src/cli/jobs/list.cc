#include <fmt/format.h>

#include <ostream>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/ids.h"
#include "cli/jobs/step_tree.h"
#include "cli/terminal/json_shapes.h"
#include "cli/terminal/words.h"
#include "core/workflow/job_state.h"

namespace holdfast::cli {

namespace {

struct ListCommand {
    std::vector<std::string> states;
    std::string workflow, parent, after;
    bool all = false;
    std::string limit = "50";
};

std::vector<JobState> read_states(const std::vector<std::string>& words) {
    std::vector<JobState> states;
    for (const auto& word : words) states.push_back(read_word<JobState>("--state", word));
    return states;
}

std::string detail_of(const JobInfo& job) {
    if (job.error) return job.error->code;
    if (is_terminal(job.state)) return "";
    return job.cancel_requested ? "cancel requested" : "";
}

std::vector<Cell> row_of(const JobInfo& job, Timestamp now) {
    return {{job.id.to_string()},
            {std::string(to_text(job.state)), tone_of(job.state)},
            {job.workflow},
            {fmt::format("{}/{}", job.steps.total() - job.steps.waiting - job.steps.ready - job.steps.running,
                         job.steps.total())},
            {format_timestamp(std::chrono::floor<std::chrono::seconds>(job.created_at))},
            {run_time(job.started_at, job.finished_at, now)},
            {detail_of(job), Tone::Faint}};
}

void print_list(const Io& io, const std::vector<JobInfo>& jobs, Timestamp now, std::size_t limit) {
    std::vector<std::vector<Cell>> rows;
    for (const auto& job : jobs) rows.push_back(row_of(job, now));
    print_table(io, {"ID", "STATE", "WORKFLOW", "STEPS", "STARTED", "TIME", "DETAIL"}, rows);
    if (!io.terminal) return;
    if (jobs.empty()) io.out << "no jobs\n";
    if (jobs.size() == limit)
        io.out << paint(io, Tone::Faint, fmt::format("there may be more: --after {}", jobs.back().id.to_string()))
               << '\n';
}

ExitCode list_jobs(Session& session, const ListCommand& command) {
    JobQuery query;
    query.states = read_states(command.states);
    query.workflow = command.workflow;
    query.with_children = command.all;
    query.limit = read_limit(command.limit);
    const auto store = session.open_store(Access::AsItIs);
    if (!command.parent.empty()) query.parent = resolve_job(*store, command.parent).id;
    if (!command.after.empty()) query.after = resolve_job(*store, command.after).id;
    const auto jobs = store->list_jobs(query);
    if (session.globals.json)
        for (const auto& job : jobs) session.print(to_json_shape(job));
    else
        print_list(session.io, jobs, store->now(), query.limit);
    return ExitCode::Done;
}

}  // namespace

void add_jobs_list(Command& jobs) {
    auto [command, given] = jobs.add("list", "Jobs, newest first", list_jobs);
    command.texts("--state", given.states, "STATE", "Only jobs in this state (repeatable)");
    command.text("--workflow", given.workflow, "NAME", "Only jobs of this workflow");
    const Option parent = command.text("--parent", given.parent, "ID", "Only jobs that this one started");
    command.flag("--all", given.all, "Also jobs that other jobs started").excludes(parent);
    command.text("--after", given.after, "ID", "Go on after this job: the last one of the page before");
    command.text("--limit", given.limit, "N", "At most so many, 1 to 1000 (default: 50)");
}

}  // namespace holdfast::cli
