#include <fmt/format.h>

#include <chrono>
#include <ostream>

#include "cli/commands.h"
#include "cli/ids.h"
#include "cli/tasks/ending.h"
#include "cli/terminal/words.h"

namespace holdfast::cli {

namespace {

struct WaitCommand {
    std::vector<std::string> ids;
    std::string timeout;
};

// One timeout that is shared by consecutive waits.
class SharedTimeout {
public:
    explicit SharedTimeout(std::optional<Duration> whole) : whole_(whole) {}
    [[nodiscard]] std::optional<Duration> left() const {
        if (!whole_) return std::nullopt;
        const auto passed = std::chrono::floor<Duration>(std::chrono::steady_clock::now() - began_);
        return std::max(*whole_ - passed, Duration::zero());
    }

private:
    std::optional<Duration> whole_;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

ExitCode report(const Session& session, const Ending& ending) {
    if (!session.globals.json) return report_ending(session.io, ending);
    Json answer = {{"id", ending.id.to_string()}};
    answer.update(to_json_shape(ending));
    session.print(answer);
    return exit_code_of(ending);
}

ExitCode wait_for_tasks(Session& session, const WaitCommand& command) {
    const auto timeout = read_duration_if_given("--timeout", command.timeout);
    const auto store = session.open_store(Access::AsItIs);
    const auto ids = ids_of(resolve_tasks(*store, command.ids));
    const SharedTimeout patience(timeout);
    ExitCode worst = ExitCode::Done;
    for (const Uuid& id : ids) {
        const ExitCode code = report(session, await_ending(*store, id, patience.left()));
        session.io.out.flush();
        worst = std::max(worst, code);
    }
    return worst;
}

}  // namespace

void add_tasks_wait(Command& tasks) {
    auto [command, given] = tasks.add("wait", "Wait until tasks have ended; prints their results", wait_for_tasks);
    command.arguments("ID", given.ids, "Their ids, or the beginnings of them");
    command.text("--timeout", given.timeout, "DURATION", "Wait at most this long for all of them");
}

}  // namespace holdfast::cli
