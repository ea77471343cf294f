#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <ostream>

#include "cli/tasks/commands.h"
#include "cli/tasks/ending.h"
#include "cli/tasks/task_ids.h"
#include "cli/terminal/words.h"

namespace holdfast::cli {

namespace {

struct WaitCommand {
    std::vector<std::string> ids;
    std::string timeout;
};

// One timeout over all the tasks that are waited for, one after the other.
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
    session.io.out << views::dump_line(answer) << '\n';
    return exit_code_of(ending);
}

ExitCode wait(Session& session, const WaitCommand& command) {
    std::optional<Duration> timeout;
    if (!command.timeout.empty()) timeout = read_duration("--timeout", command.timeout);
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

void add_tasks_wait(CLI::App& tasks, Action& chosen) {
    auto given = std::make_shared<WaitCommand>();
    auto* command = tasks.add_subcommand("wait", "Wait until tasks have ended; prints their results");
    command->add_option("ID", given->ids, "Their ids, or the beginnings of them")->required()->type_name("");
    command->add_option("--timeout", given->timeout, "Wait at most this long for all of them")->type_name("DURATION");
    command->callback([given, &chosen] { chosen = [given](Session& session) { return wait(session, *given); }; });
}

}  // namespace holdfast::cli
