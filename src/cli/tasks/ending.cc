#include "cli/tasks/ending.h"

#include <fmt/format.h>

#include <ostream>

#include "base/visible_text.h"
#include "client/waiting_room.h"

namespace holdfast::cli {

namespace {

std::string failure_text(const store::TaskRecord& task) {
    std::string text = fmt::format("task {} is {}", task.task.id.to_string(), to_text(task.state));
    if (task.error) text += fmt::format(" with {}: {}", task.error->code, task.error->message);
    return text;
}

}  // namespace

Ending await_ending(store::ClientStore& store, const Uuid& id, std::optional<Duration> timeout) {
    return {id, client::WaitingRoom(store).wait(id, timeout)};
}

ExitCode report_ending(const Io& io, const Ending& ending) {
    const std::string id = ending.id.to_string();
    if (!ending.task) {
        io.err << fmt::format("holdfast: task {} has not ended yet; 'holdfast tasks wait {}' goes on waiting\n", id,
                              id);
    } else if (ending.task->state == TaskState::Completed) {
        if (io.terminal) io.out << paint(io, Tone::Good, "COMPLETED") << '\n';
        io.out << ending.task->result << '\n';
    } else {
        io.err << fmt::format("holdfast: {}; 'holdfast tasks show {}' tells more\n",
                              visible_line(failure_text(*ending.task)), id);
    }
    return exit_code_of(ending);
}

Json to_json_shape(const Ending& ending) {
    return {{"timed_out", !ending.task}, {"task", ending.task ? to_json_shape(*ending.task) : Json()}};
}

ExitCode exit_code_of(const Ending& ending) {
    const bool completed = ending.task && ending.task->state == TaskState::Completed;
    return completed ? ExitCode::Done : ExitCode::Failed;
}

}  // namespace holdfast::cli
