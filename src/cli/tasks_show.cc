#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ostream>

#include "base/text.h"
#include "cli/field_printer.h"
#include "cli/json_shapes.h"
#include "cli/task_ids.h"
#include "cli/tasks_commands.h"
#include "cli/timeline.h"
#include "client/task_operations.h"
#include "core/policy_text.h"

namespace holdfast::cli {

namespace {

TaskStory read_story(store::Store& store, const std::string& id, const config::RecoveryConfig& recovery) {
    TaskStory story;
    story.task = resolve_task(store, id);
    story.attempts = store.attempts(story.task.task.id);
    story.events = client::all_events(store, story.task.task.id);
    story.now = store.now();
    if (story.task.state == TaskState::Pending)
        story.waiting =
            engine::why_waiting(engine::waiting_facts(store, story.task, recovery.worker_stale_threshold));
    return story;
}

/// The job and the step that a task belongs to.
using StepOfTask = std::optional<std::pair<Uuid, std::string>>;

void print_fields(const Io& io, const store::TaskRecord& record, const StepOfTask& step) {
    const FieldPrinter field(io);
    const store::NewTask& task = record.task;
    field("task", task.id.to_string(), Tone::Strong);
    field("name", task.name);
    if (step) field("step", fmt::format("{} of job {}", step->second, step->first.to_string()));
    field("state", fmt::format("{}{}", to_text(record.state), record.cancel_requested ? ", cancel requested" : ""),
          tone_of(record.state));
    field("queue", fmt::format("{}, priority {}", task.queue, task.priority));
    field("tags", join(task.tags, ", "));
    field("args", task.args);
    field("runs", task.spec);
    field("policy", core::encode_policy(task.policy));
    if (task.concurrency) field("key", fmt::format("{} (limit {})", task.concurrency->key, task.concurrency->limit));
    field("idempotency", task.idempotency_key);
    if (task.deadline) field("deadline", format_timestamp(*task.deadline));
    if (record.progress)
        field("progress", fmt::format("{:.0f}% {}", record.progress->fraction * 100, record.progress->text));
    field("checkpoint", record.checkpoint);
    field("result", record.result);
    if (record.error) {
        field("error", fmt::format("{}: {}", record.error->code, record.error->message), Tone::Bad);
        field("error data", record.error->data);
    }
}

void print_timeline(const Io& io, const TaskStory& story) {
    io.out << '\n';
    for (const auto& entry : timeline_of(story))
        io.out << paint(io, Tone::Faint, fmt::format("{:<28}", format_timestamp(entry.at)))
               << paint(io, entry.tone, entry.text) << '\n';
}

Json shape_of(const std::optional<engine::WhyWaiting>& waiting) {
    if (!waiting) return {};
    Json tasks = Json::array();
    for (const Uuid& task : waiting->tasks) tasks.push_back(task.to_string());
    return {{"for", engine::to_text(waiting->obstacle)},
            {"sentence", waiting->sentence},
            {"tasks", tasks},
            {"workers", waiting->workers}};
}

Json shape_of(const StepOfTask& step) {
    if (!step) return {};
    return {{"job", step->first.to_string()}, {"name", step->second}};
}

ExitCode show(Session& session, const std::string& id) {
    const config::Config config = session.load_config();
    const auto store = session.open_store(config, Access::AsItIs);
    const TaskStory story = read_story(*store, id, config.recovery);
    const StepOfTask step = store->step_of_task(story.task.task.id);
    if (session.globals.json) {
        const Json answer = {{"task", to_json_shape(story.task)},
                             {"step", shape_of(step)},
                             {"waiting", shape_of(story.waiting)},
                             {"attempts", array_of(story.attempts)},
                             {"events", array_of(story.events)}};
        session.io.out << answer.dump() << '\n';
    } else {
        print_fields(session.io, story.task, step);
        print_timeline(session.io, story);
    }
    return ExitCode::Done;
}

}  // namespace

void add_tasks_show(CLI::App& tasks, Action& chosen) {
    auto id = std::make_shared<std::string>();
    auto* command = tasks.add_subcommand("show", "One task: what it is, and its life so far");
    command->add_option("ID", *id, "Its id, or the beginning of it")->required()->type_name("");
    command->callback([id, &chosen] { chosen = [id](Session& session) { return show(session, *id); }; });
}

}  // namespace holdfast::cli
