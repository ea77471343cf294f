#include "cli/tasks/waiting.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/ids.h"
#include "cli/tasks/task_log.h"
#include "cli/tasks/waiting_reasons.h"
#include "cli/terminal/following.h"
#include "cli/terminal/words.h"
#include "client/operations.h"
#include "client/waiting_room.h"
#include "views/task.h"

namespace holdfast::cli {

namespace {

std::string failure_text(const store::TaskRecord& task) {
    std::string text = fmt::format("task {} is {}", task.task.id.to_string(), to_text(task.state));
    if (task.error) text += fmt::format(" with {}: {}", task.error->code, task.error->message);
    return text;
}

enum class Shown { Result, Output };

void print_ending(const Io& io, const std::string& id, const std::optional<store::TaskRecord>& task, Shown shown) {
    if (!task) {
        io.err << fmt::format("holdfast: task {0} has not ended yet; 'holdfast tasks wait {0}' goes on waiting\n",
                              id);
    } else if (task->state == TaskState::Completed) {
        if (io.terminal) io.out << paint(io, Tone::Good, "COMPLETED") << '\n';
        if (shown == Shown::Result) io.out << task->result << '\n';
    } else {
        io.err << fmt::format("holdfast: {}; 'holdfast tasks show {}' tells more\n",
                              visible_line(failure_text(*task)), id);
    }
}

struct TasksWait {
    std::vector<std::string> ids;
    std::string timeout;
};

// One timeout that is shared by consecutive waits.
class SharedTimeout {
public:
    explicit SharedTimeout(std::optional<Duration> whole) : whole_(whole) {}
    [[nodiscard]] std::optional<Duration> left() const {
        if (!whole_) return std::nullopt;
        return std::max(*whole_ - passed(), Duration::zero());
    }
    [[nodiscard]] Duration passed() const {
        return std::chrono::floor<Duration>(std::chrono::steady_clock::now() - began_);
    }

private:
    std::optional<Duration> whole_;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

ExitCode wait_for_tasks(Session& session, const TasksWait& command) {
    const auto timeout = read_duration_if_given("--timeout", command.timeout);
    const auto store = session.open_store(Access::AsItIs);
    const auto ids = resolve_tasks(*store, command.ids);
    const SharedTimeout patience(timeout);
    ExitCode worst = ExitCode::Done;
    for (const Uuid& id : ids)
        worst = std::max(worst, await_task(session, *store, id, patience.left(), {{"id", id.to_string()}}));
    return worst;
}

ExitCode report_ending(const Session& session, const Uuid& id, const std::optional<store::TaskRecord>& task,
                       Json answer, Shown shown) {
    if (session.globals.json) {
        answer["timed_out"] = !task;
        answer["task"] = task ? to_json_shape(*task) : Json();
        session.print(answer);
    } else {
        print_ending(session.io, id.to_string(), task, shown);
    }
    session.io.out.flush();
    return task && task->state == TaskState::Completed ? ExitCode::Done : ExitCode::Failed;
}

constexpr Duration silence = std::chrono::seconds(1);

/// Needs the configuration and a connection of its own. Without them the wait goes on in silence.
void tell_reason(const Session& session, store::ClientStore& store, const Uuid& id) try {
    const std::string reason = WaitingReasons(session).of(store, id);
    if (!reason.empty()) session.io.err << fmt::format("holdfast: the task {}\n", visible_line(reason)) << std::flush;
} catch (const StoreError&) {
} catch (const BadInput&) {
}

/// Waits for the end, in silence at first.
std::optional<store::TaskRecord> wait_for_end(const Session& session, store::ClientStore& store, const Uuid& id,
                                              std::optional<Duration> timeout) {
    const SharedTimeout patience(timeout);
    client::WaitingRoom room(store);
    if (!timeout || *timeout > silence) {
        if (auto task = room.wait(id, silence)) return task;
        tell_reason(session, store, id);
    }
    return room.wait(id, patience.left());
}

}  // namespace

ExitCode await_task(const Session& session, store::ClientStore& store, const Uuid& id,
                    std::optional<Duration> timeout, Json answer) {
    session.io.out.flush();
    const auto task = wait_for_end(session, store, id, timeout);
    return report_ending(session, id, task, std::move(answer), Shown::Result);
}

ExitCode follow_task(const Session& session, store::ClientStore& store, const Uuid& id,
                     std::optional<Duration> timeout, Json answer) {
    const SharedTimeout patience(timeout);
    TaskLog log(session, store, id, /*raw=*/false);
    LookPace pace(store);
    bool has_told = false;
    while (log.print_new() && patience.left() != Duration::zero()) {
        pace.rest();
        pace.begin();
        if (has_told || patience.passed() < silence) continue;
        tell_reason(session, store, id);
        has_told = true;
    }
    const store::TaskRecord task = client::find_one(store, id);
    const bool has_ended = is_terminal(task.state);
    return report_ending(session, id, has_ended ? std::optional(task) : std::nullopt, std::move(answer),
                         Shown::Output);
}

void add_tasks_wait(Command& tasks) {
    auto [command, given] = tasks.add("wait", "Wait until tasks have ended; prints their results", wait_for_tasks);
    command.arguments("ID", given.ids, "Their ids, or the beginnings of them");
    command.text("--timeout", given.timeout, "DURATION", "Wait at most this long for all of them");
}

}  // namespace holdfast::cli
