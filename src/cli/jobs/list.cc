#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ostream>

#include "base/text.h"
#include "cli/jobs/commands.h"
#include "cli/jobs/job_ids.h"
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
    std::vector<std::pair<std::string, JobState>> choices;
    for (const JobState state : core::job_states()) choices.emplace_back(lower_case(to_text(state)), state);
    std::vector<JobState> states;
    for (const auto& word : words) states.push_back(read_word("--state", word, choices));
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

ExitCode list(Session& session, const ListCommand& command) {
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
        for (const auto& job : jobs) session.io.out << views::dump_line(to_json_shape(job)) << '\n';
    else
        print_list(session.io, jobs, store->now(), query.limit);
    return ExitCode::Done;
}

}  // namespace

void add_jobs_list(CLI::App& jobs, Action& chosen) {
    auto given = std::make_shared<ListCommand>();
    auto* command = jobs.add_subcommand("list", "Jobs, newest first");
    command->add_option("--state", given->states, "Only jobs in this state (repeatable)")
        ->type_name("STATE")
        ->allow_extra_args(false);
    command->add_option("--workflow", given->workflow, "Only jobs of this workflow")->type_name("NAME");
    auto* parent = command->add_option("--parent", given->parent, "Only jobs that this one started")->type_name("ID");
    command->add_flag("--all", given->all, "Also jobs that other jobs started")->excludes(parent);
    command->add_option("--after", given->after, "Go on after this job: the last one of the page before")
        ->type_name("ID");
    command->add_option("--limit", given->limit, "At most so many, 1 to 1000 (default: 50)")->type_name("N");
    command->callback([given, &chosen] { chosen = [given](Session& session) { return list(session, *given); }; });
}

}  // namespace holdfast::cli
