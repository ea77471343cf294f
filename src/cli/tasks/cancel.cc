#include "base/assert.h"
#include "cli/commands.h"
#include "cli/ids.h"
#include "cli/steering.h"

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

ExitCode cancel_tasks(Session& session, const CancelCommand& command) {
    const auto store = session.open_store(Access::AsItIs);
    const auto ids = ids_of(resolve_tasks(*store, command.ids));
    const auto statuses = store->cancel({.tasks = ids, .who = session.who(), .reason = command.reason});
    std::vector<Steered> steered;
    for (std::size_t i = 0; i < ids.size(); ++i) steered.push_back(describe(ids[i], statuses[i]));
    return report_steered(session, "task", steered);
}

}  // namespace

void add_tasks_cancel(Command& tasks) {
    auto [command, given] = tasks.add("cancel", "End tasks, or ask their workers to", cancel_tasks);
    command.arguments("ID", given.ids, "Their ids, or the beginnings of them");
    command.text("--reason", given.reason, "TEXT", "The reason, recorded in its history");
}

}  // namespace holdfast::cli
