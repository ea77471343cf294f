#include <fmt/format.h>

#include <ostream>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/ids.h"
#include "cli/jobs/step_tree.h"
#include "cli/tasks/timeline.h"
#include "cli/terminal/json_shapes.h"
#include "server/remote/server_calls.h"
#include "views/why_waiting.h"

namespace holdfast::cli {

namespace {

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

void print_fields(const Io& io, const JobInfo& job) {
    const FieldPrinter field(io);
    field("job", job.id.to_string(), Tone::Strong);
    field("workflow", job.workflow);
    field("state",
          fmt::format("{}{}", to_text(job.state),
                      job.cancel_requested && !is_terminal(job.state) ? ", cancel requested" : ""),
          tone_of(job.state));
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

/// Says why tasks wait. Connects once, at the first question: most jobs have no waiting task.
class WaitingReasons {
public:
    explicit WaitingReasons(const Session& session) : session_(session) {}

    [[nodiscard]] std::string of(store::ClientStore& store, const Uuid& task) {
        const auto record = store.find({task}).front();
        if (!record || record->state != TaskState::Pending) return {};
        if (!server_ && !store_) connect();
        if (!server_) return engine::why_waiting(engine::waiting_facts(*store_, *record, stale_after_)).sentence;
        const TaskStory story = remote::task_story(*server_, task);
        return story.waiting ? story.waiting->sentence : std::string();
    }

private:
    void connect() {
        server_ = session_.server();
        if (server_) return;
        const config::Config config = session_.load_config();
        stale_after_ = config.recovery.worker_stale_threshold;
        store_ = session_.open_store_itself(config, Access::AsItIs);
    }

    const Session& session_;
    std::unique_ptr<remote::ServerLink> server_;  // or
    std::unique_ptr<store::Store> store_;
    Duration stale_after_{};
};

void print_job(const Session& session, store::ClientStore& store, const JobInfo& job) {
    print_fields(session.io, job);
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

void add_jobs_show(Command& jobs) {
    auto [command, id] = jobs.add("show", "One job: what it is, and how its steps stand", show_job);
    command.argument("ID", id, "Its id, or the beginning of it");
}

}  // namespace holdfast::cli
