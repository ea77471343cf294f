#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/assert.h"
#include "cli/steering.h"
#include "cli/tasks/commands.h"
#include "cli/tasks/task_ids.h"
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

ExitCode force(Session& session, const ForceCommand& command) {
    const auto state = read_word<TaskState>("--state", command.state,
                                            {{"failed", TaskState::Failed}, {"cancelled", TaskState::Cancelled}});
    const auto store = session.open_store(Access::AsItIs);
    const auto ids = ids_of(resolve_tasks(*store, command.ids));
    const auto statuses =
        store->force({.tasks = ids, .state = state, .who = session.who(), .reason = command.reason});
    std::vector<Steered> steered;
    for (std::size_t i = 0; i < ids.size(); ++i) steered.push_back(describe(ids[i], statuses[i], state));
    return report_steered(session, "task", steered);
}

}  // namespace

void add_tasks_force(CLI::App& tasks, Action& chosen) {
    auto given = std::make_shared<ForceCommand>();
    auto* command = tasks.add_subcommand("force", "End tasks at once, whatever their workers are doing");
    command->add_option("ID", given->ids, "Their ids, or the beginnings of them")->required()->type_name("");
    command->add_option("--state", given->state, "How they end: failed (default) or cancelled")->type_name("STATE");
    command->add_option("--reason", given->reason, "Why, for those who read its history")
        ->required()
        ->type_name("TEXT");
    command->callback([given, &chosen] { chosen = [given](Session& session) { return force(session, *given); }; });
}

}  // namespace holdfast::cli
