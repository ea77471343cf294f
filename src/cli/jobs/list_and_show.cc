#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/ids.h"
#include "cli/jobs/job_tree.h"
#include "cli/tasks/timeline.h"
#include "cli/tasks/waiting_reasons.h"
#include "cli/terminal/words.h"
#include "views/job.h"

namespace holdfast::cli {

namespace {

// ---- List -----------------------------------------------------------------------------------------

struct JobListFlags {
    std::vector<std::string> states;
    std::string workflow, parent, after;
    bool all = false;
    std::string limit = "50";
    bool ids = false;
};

std::string job_detail(const JobInfo& job) {
    if (job.error) return job.error->code;
    return job.cancel_requested && !is_terminal(job.state) ? "cancel requested" : "";
}

Row job_row(const JobInfo& job, Timestamp now) {
    return {id_cell(job.id),
            state_cell(to_text(job.state)),
            {job.workflow},
            {fmt::format("{}/{}", job.steps.total() - job.steps.waiting - job.steps.ready - job.steps.running,
                         job.steps.total())},
            moment_cell(job.created_at, now),
            {run_time(job.started_at, job.finished_at, now)},
            {job_detail(job), Tone::Faint}};
}

ExitCode list_jobs(Session& session, const JobListFlags& command) {
    JobQuery query;
    query.states = read_words<JobState>("--state", command.states);
    query.workflow = command.workflow;
    query.with_children = command.all;
    query.limit = read_limit(command.limit);
    const auto store = session.open_store(Access::AsItIs);
    if (!command.parent.empty()) query.parent = resolve_job(*store, command.parent).id;
    if (!command.after.empty()) query.after = resolve_job(*store, command.after).id;
    const auto jobs = store->list_jobs(query);
    if (command.ids) return session.list_ids(jobs, [](const JobInfo& job) { return job.id; });
    using enum Column::Room;
    session.list(
        {"ID", "STATE", {"WORKFLOW", Shortened}, "STEPS", "STARTED", "TIME", {"DETAIL", Shortened}}, jobs,
        [now = store->now()](const JobInfo& job) { return job_row(job, now); }, "no jobs");
    if (jobs.size() == query.limit) session.tell_more(jobs.back().id);
    return ExitCode::Done;
}

// ---- Show -----------------------------------------------------------------------------------------

constexpr int most_reasons = 10;  // each needs a read of its own, and many steps wait for the same reason

std::string origin_of(const JobInfo& job) {
    return job.parent.is_nil() ? "" : fmt::format("step {} of job {}", job.parent_step, job.parent.to_string());
}

std::string times_of(const JobInfo& job) {
    std::string text = fmt::format("accepted {}", format_timestamp(job.created_at));
    if (job.started_at) text += fmt::format(", started {}", format_timestamp(*job.started_at));
    if (job.finished_at) text += fmt::format(", ended {}", format_timestamp(*job.finished_at));
    return text;
}

void print_job_fields(const Io& io, const JobInfo& job) {
    const FieldPrinter field(io);
    field("job", job.id.to_string(), Tone::Strong);
    field("workflow", job.workflow);
    const Cell state = state_cell(to_text(job.state));
    const bool is_ending = job.cancel_requested && !is_terminal(job.state);
    field("state", state.text + (is_ending ? ", cancel requested" : ""), state.tone);
    field("started by", origin_of(job));
    if (!job.retry_of.is_nil()) field("retry of", job.retry_of.to_string());
    field("times", times_of(job));
    if (job.deadline) field("deadline", format_timestamp(*job.deadline));
    field("input", job.input);
    field("output", job.output);
    if (job.error) {
        field("error", error_text(*job.error), Tone::Bad);
        field("error data", job.error->data);
    }
}

void print_job(const Session& session, store::ClientStore& store, const JobInfo& job) {
    print_job_fields(session.io, job);
    session.io.out << '\n';
    LastLines last_lines(store);
    const auto all = [](const StepInfo&) { return true; };
    WaitingReasons reasons(session);
    const auto waits_for = [&, asked = 0](const Uuid& task) mutable {
        return asked++ < most_reasons ? reasons.of(store, task) : std::string();
    };
    print_tree(
        session.io,
        read_job_tree(store, job.id,
                      {.with_items = true, .wants_child = all, .last_lines = &last_lines, .waits_for = waits_for}));
}

ExitCode show_job(Session& session, const std::string& id) {
    const auto store = session.open_store(Access::AsItIs);
    const JobInfo job = resolve_job(*store, id);
    if (session.globals.json) {
        const auto steps = store->steps({.job = job.id, .with_items = true, .step = {}});
        session.print(Json{{"job", to_json_shape(job)}, {"steps", array_of(steps)}});
    } else {
        print_job(session, *store, job);
    }
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
    command.flag("--ids", given.ids, "Print only their ids, one per line");
    command.examples({"holdfast jobs list --state failed", "holdfast jobs list --workflow nightly --limit 7"});
}

void add_jobs_show(Command& jobs) {
    auto [command, id] = jobs.add("show", "One job: what it is, and how its steps stand", show_job);
    command.argument("ID", id, "Its id, or the beginning of it");
}

}  // namespace holdfast::cli
