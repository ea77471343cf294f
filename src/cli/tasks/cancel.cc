#include <CLI/CLI.hpp>

#include "base/assert.h"
#include "cli/steering.h"
#include "cli/tasks/commands.h"
#include "cli/tasks/task_ids.h"

namespace holdfast::cli {

namespace {

struct CancelCommand {
    std::vector<std::string> ids;
    std::string reason;
};

Steered describe(const Uuid& id, CancelStatus status) {
    switch (status) {
        case CancelStatus::Cancelled:
            return {id, "cancelled", "is CANCELLED", ExitCode::Done};
        case CancelStatus::Requested:
            return {id, "requested", "is in a worker's hands, which has been asked to stop it", ExitCode::Done};
        case CancelStatus::Already:
            return {id, "already", "had been cancelled before", ExitCode::Done};
        case CancelStatus::Finished:
            return {id, "finished", "had ended before; nothing was changed", ExitCode::Failed};
        case CancelStatus::NotFound:
            return {id, "not_found", "is not there any more", ExitCode::Failed};
    }
    HOLDFAST_ASSERT(false);
}

ExitCode cancel(Session& session, const CancelCommand& command) {
    const auto store = session.open_store(Access::AsItIs);
    const auto ids = ids_of(resolve_tasks(*store, command.ids));
    const auto statuses = store->cancel({.tasks = ids, .who = session.who(), .reason = command.reason});
    std::vector<Steered> steered;
    for (std::size_t i = 0; i < ids.size(); ++i) steered.push_back(describe(ids[i], statuses[i]));
    return report_steered(session, "task", steered);
}

}  // namespace

void add_tasks_cancel(CLI::App& tasks, Action& chosen) {
    auto given = std::make_shared<CancelCommand>();
    auto* command = tasks.add_subcommand("cancel", "End tasks, or ask their workers to");
    command->add_option("ID", given->ids, "Their ids, or the beginnings of them")->required()->type_name("");
    command->add_option("--reason", given->reason, "Why, for those who read its history")->type_name("TEXT");
    command->callback([given, &chosen] { chosen = [given](Session& session) { return cancel(session, *given); }; });
}

}  // namespace holdfast::cli
