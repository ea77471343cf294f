#include <fmt/format.h>

#include <ostream>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/ids.h"
#include "cli/tasks/timeline.h"
#include "cli/terminal/json_shapes.h"
#include "cli/terminal/words.h"
#include "core/task/task_state.h"

namespace holdfast::cli {

namespace {

struct ListCommand {
    std::vector<std::string> states;
    std::string name, queue, after;
    std::string limit = "50";
};

std::vector<TaskState> read_states(const std::vector<std::string>& words) {
    std::vector<TaskState> states;
    for (const auto& word : words) states.push_back(read_word<TaskState>("--state", word));
    return states;
}

std::string detail_of(const store::TaskRecord& record) {
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

std::vector<Cell> row_of(const store::TaskRecord& record) {
    return {{record.task.id.to_string()},
            {std::string(to_text(record.state)), tone_of(record.state)},
            {record.task.name},
            {record.task.queue},
            {std::to_string(record.task.priority)},
            {std::to_string(record.history.attempts + record.history.crashes)},
            {format_timestamp(std::chrono::floor<std::chrono::seconds>(record.created_at))},
            {detail_of(record), Tone::Faint}};
}

void print_list(const Io& io, const std::vector<store::TaskRecord>& records, std::size_t limit) {
    std::vector<std::vector<Cell>> rows;
    for (const auto& record : records) rows.push_back(row_of(record));
    print_table(io, {"ID", "STATE", "NAME", "QUEUE", "PRIO", "RUNS", "SUBMITTED", "DETAIL"}, rows);
    if (!io.terminal) return;
    if (records.empty()) io.out << "no tasks\n";
    if (records.size() == limit)
        io.out << paint(io, Tone::Faint,
                        fmt::format("there may be more: --after {}", records.back().task.id.to_string()))
               << '\n';
}

ExitCode list_tasks(Session& session, const ListCommand& command) {
    store::ListParams params;
    params.filter.states = read_states(command.states);
    params.filter.name = command.name;
    params.filter.queue = command.queue;
    params.limit = read_limit(command.limit);
    const auto store = session.open_store(Access::AsItIs);
    if (!command.after.empty()) params.after = resolve_task(*store, command.after).task.id;
    const auto records = store->list(params);
    if (session.globals.json)
        for (const auto& record : records) session.print(to_json_shape(record));
    else
        print_list(session.io, records, params.limit);
    return ExitCode::Done;
}

}  // namespace

void add_tasks_list(Command& tasks) {
    auto [command, given] = tasks.add("list", "Tasks, newest first", list_tasks);
    command.texts("--state", given.states, "STATE", "Only tasks in this state (repeatable)");
    command.text("--name", given.name, "NAME", "Only tasks with this name");
    command.text("--queue", given.queue, "NAME", "Only tasks of this queue");
    command.text("--after", given.after, "ID", "Go on after this task: the last one of the page before");
    command.text("--limit", given.limit, "N", "At most so many, 1 to 1000 (default: 50)");
}

}  // namespace holdfast::cli
