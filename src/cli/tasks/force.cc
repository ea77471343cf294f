#include <fmt/format.h>

#include <array>

#include "base/assert.h"
#include "cli/commands.h"
#include "cli/ids.h"
#include "cli/steering.h"
#include "cli/terminal/words.h"

namespace holdfast::cli {

namespace {

struct ForceCommand {
    std::vector<std::string> ids;
    std::string state = "failed";
    std::string reason;
};

Steered describe(const Uuid& id, store::ForceStatus status, TaskState state) {
    switch (status) {
        case store::ForceStatus::Applied:
            return {id, "applied", fmt::format("is {} now", to_text(state)), ExitCode::Done};
        case store::ForceStatus::Finished:
            return {id, "finished", "had ended before; nothing was changed", ExitCode::Failed};
        case store::ForceStatus::NotFound:
            return {id, "not_found", "is not there any more", ExitCode::Failed};
    }
    HOLDFAST_ASSERT(false);
}

ExitCode force_tasks(Session& session, const ForceCommand& command) {
    const std::array endings = {TaskState::Failed, TaskState::Cancelled};
    const auto state = read_word<TaskState>("--state", command.state, endings);
    const auto store = session.open_store(Access::AsItIs);
    const auto ids = ids_of(resolve_tasks(*store, command.ids));
    const auto statuses =
        store->force({.tasks = ids, .state = state, .who = session.who(), .reason = command.reason});
    std::vector<Steered> steered;
    for (std::size_t i = 0; i < ids.size(); ++i) steered.push_back(describe(ids[i], statuses[i], state));
    return report_steered(session, "task", steered);
}

}  // namespace

void add_tasks_force(Command& tasks) {
    auto [command, given] = tasks.add("force", "End tasks at once, whatever their workers are doing", force_tasks);
    command.arguments("ID", given.ids, "Their ids, or the beginnings of them");
    command.text("--state", given.state, "STATE", "How they end: failed (default) or cancelled");
    command.text("--reason", given.reason, "TEXT", "The reason, recorded in its history").required();
}

}  // namespace holdfast::cli
