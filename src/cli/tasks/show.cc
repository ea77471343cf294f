#include <fmt/format.h>

#include <ostream>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/ids.h"
#include "cli/tasks/timeline.h"
#include "core/task/policy_text.h"
#include "server/remote/server_calls.h"

namespace holdfast::cli {

namespace {

void print_fields(const Io& io, const store::TaskRecord& record, const std::optional<views::StepOfTask>& step) {
    const FieldPrinter field(io);
    const store::NewTask& task = record.task;
    field("task", task.id.to_string(), Tone::Strong);
    field("name", task.name);
    if (step) field("step", fmt::format("{} of job {}", step->name, step->job.to_string()));
    field("state", fmt::format("{}{}", to_text(record.state), record.cancel_requested ? ", cancel requested" : ""),
          tone_of(record.state));
    field("queue", fmt::format("{}, priority {}", task.queue, task.priority));
    field("tags", join(task.tags, ", "));
    field("args", task.args);
    field("runs", task.spec);
    field("policy", core::encode_policy(task.policy));
    if (task.concurrency)
        field("key", fmt::format("{} (asked for the limit {})", task.concurrency->key, task.concurrency->limit));
    field("idempotency", task.idempotency_key);
    field("trace", task.traceparent);
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
    for (const auto& entry : timeline_of(story)) print_entry(io, entry);
}

TaskStory read_story(const Session& session, const std::string& id) {
    const config::Config config = session.load_config();
    if (const auto server = session.server()) {
        const auto store = session.open_store(config, Access::AsItIs);
        return remote::task_story(*server, resolve_task(*store, id).task.id);
    }
    const auto store = session.open_store_itself(config, Access::AsItIs);
    return views::read_story(*store, resolve_task(*store, id), config.recovery.worker_stale_threshold);
}

ExitCode show_task(Session& session, const std::string& id) {
    const TaskStory story = read_story(session, id);
    if (session.globals.json) {
        session.print(views::to_json_shape(story));
    } else {
        print_fields(session.io, story.task, story.step);
        print_timeline(session.io, story);
    }
    return ExitCode::Done;
}

}  // namespace

void add_tasks_show(Command& tasks) {
    auto [command, id] = tasks.add("show", "One task: what it is, and its life so far", show_task);
    command.argument("ID", id, "Its id, or the beginning of it");
}

}  // namespace holdfast::cli
