#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/ids.h"
#include "cli/tasks/timeline.h"
#include "cli/terminal/words.h"
#include "core/task/task_options.h"
#include "server/remote/server_link.h"

namespace holdfast::cli {

namespace {

// ---- List -----------------------------------------------------------------------------------------

struct TaskListFlags {
    std::vector<std::string> states;
    std::string name, queue, after;
    std::string limit = "50";
    bool ids = false;
};

std::string task_detail(const store::TaskRecord& record) {
    if (record.error) return record.error->code;
    if (record.state == TaskState::Pending) {
        if (record.waits_for == store::WaitReason::Future && record.task.run_at)
            return fmt::format("until {}", format_timestamp(*record.task.run_at));
        return record.waits_for == store::WaitReason::None ? "" : fmt::format("waits: {}", to_text(record.waits_for));
    }
    if (record.cancel_requested) return "cancel requested";
    if (record.progress) return fmt::format("{:.0f}% {}", record.progress->fraction * 100, record.progress->text);
    return "";
}

Row task_row(const store::TaskRecord& record, Timestamp now) {
    return {id_cell(record.task.id),
            state_cell(to_text(record.state)),
            {record.task.name},
            {record.task.queue},
            {std::to_string(record.task.priority)},
            {std::to_string(record.history.attempts + record.history.crashes)},
            moment_cell(record.created_at, now),
            {task_detail(record), Tone::Faint}};
}

ExitCode list_tasks(Session& session, const TaskListFlags& command) {
    store::ListParams params;
    params.filter.states = read_words<TaskState>("--state", command.states);
    params.filter.name = command.name;
    params.filter.queue = command.queue;
    params.limit = read_limit(command.limit);
    const auto store = session.open_store(Access::AsItIs);
    if (!command.after.empty()) params.after = resolve_task(*store, command.after).task.id;
    const auto records = store->list(params);
    if (command.ids) return session.list_ids(records, [](const auto& record) { return record.task.id; });
    using enum Column::Room;
    session.list(
        {"ID",
         "STATE",
         {"NAME", Shortened},
         {"QUEUE", Shortened},
         {"PRIO", WideOnly},
         "RUNS",
         "SUBMITTED",
         {"DETAIL", Shortened}},
        records, [now = store->now()](const auto& record) { return task_row(record, now); }, "no tasks");
    if (records.size() == params.limit) session.tell_more(records.back().task.id);
    return ExitCode::Done;
}

// ---- Show -----------------------------------------------------------------------------------------

void print_story(const Io& io, const TaskStory& story) {
    const FieldPrinter field(io);
    const store::TaskRecord& record = story.task;
    const store::NewTask& task = record.task;
    field("task", task.id.to_string(), Tone::Strong);
    field("name", task.name);
    if (story.step) field("step", fmt::format("{} of job {}", story.step->name, story.step->job.to_string()));
    const Cell state = state_cell(to_text(record.state));
    field("state", state.text + (record.cancel_requested ? ", cancel requested" : ""), state.tone);
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
    return session.show(read_story(session, id), print_story);
}

}  // namespace

void add_tasks_list(Command& tasks) {
    auto [command, given] = tasks.add("list", "Tasks, newest first", list_tasks);
    command.texts("--state", given.states, "STATE", "Only tasks in this state (repeatable)");
    command.text("--name", given.name, "NAME", "Only tasks with this name");
    command.text("--queue", given.queue, "NAME", "Only tasks of this queue");
    command.text("--after", given.after, "ID", "Go on after this task: the last one of the page before");
    command.text("--limit", given.limit, "N", "At most so many, 1 to 1000 (default: 50)");
    command.flag("--ids", given.ids, "Print only their ids, one per line");
    command.examples({"holdfast tasks list --state failed --state expired",
                      "holdfast tasks list --name resize --queue photos --limit 200",
                      "holdfast tasks list --state pending --json"});
}

void add_tasks_show(Command& tasks) {
    auto [command, id] = tasks.add("show", "One task: what it is, and its life so far", show_task);
    command.argument("ID", id, "Its id, or the beginning of it");
}

}  // namespace holdfast::cli
