#include <fmt/format.h>

#include <array>

#include "base/assert.h"
#include "cli/commands.h"
#include "cli/ids.h"
#include "cli/terminal/words.h"
#include "client/operations.h"
#include "views/audit.h"

namespace holdfast::cli {

namespace {

struct TaskOrder {
    std::vector<std::string> ids;
    std::string reason;
    std::string state = "failed";
};

Steered cancel_result(CancelStatus status) {
    switch (status) {
        case CancelStatus::Cancelled:
            return {"cancelled", "is CANCELLED"};
        case CancelStatus::Requested:
            return {"requested", "is in a worker's hands, which has been asked to stop it"};
        case CancelStatus::Already:
            return {"already", "had been cancelled before"};
        case CancelStatus::Finished:
            return had_ended;
        case CancelStatus::NotFound:
            return is_gone;
    }
    HOLDFAST_ASSERT(false);
}

ExitCode cancel_tasks(Session& session, const TaskOrder& order) {
    const auto store = session.open_store(Access::AsItIs);
    const auto ids = resolve_tasks(*store, order.ids);
    return report_each(session, "task", ids,
                       store->cancel({.tasks = ids, .who = session.who(), .reason = order.reason}), cancel_result);
}

Steered force_result(store::ForceStatus status, TaskState state) {
    switch (status) {
        case store::ForceStatus::Applied:
            return {"applied", fmt::format("is {} now", to_text(state))};
        case store::ForceStatus::Finished:
            return had_ended;
        case store::ForceStatus::NotFound:
            return is_gone;
    }
    HOLDFAST_ASSERT(false);
}

ExitCode force_tasks(Session& session, const TaskOrder& order) {
    const std::array endings = {TaskState::Failed, TaskState::Cancelled};
    const auto state = read_word<TaskState>("--state", order.state, endings);
    const auto store = session.open_store(Access::AsItIs);
    const auto ids = resolve_tasks(*store, order.ids);
    return report_each(session, "task", ids,
                       store->force({.tasks = ids, .state = state, .who = session.who(), .reason = order.reason}),
                       [&](store::ForceStatus status) { return force_result(status, state); });
}

/// A server writes the order into its audit by itself.
void note_retry(const Session& session, store::ServerStore& store, const Uuid& task, const Uuid& retry) {
    store.append_event(views::order_event("task_retried", session.who(),
                                          fmt::format("retried task {} as this one", task.to_string()),
                                          {{"task", retry.to_string()}}, retry));
}

ExitCode retry_tasks(Session& session, const std::vector<std::string>& given_ids) {
    const auto store = session.open_store(Access::AsItIs);
    std::vector<store::TaskRecord> records;
    for (const std::string& id : given_ids) records.push_back(resolve_task(*store, id));
    for (const auto& record : records) client::require_retryable(*store, record);
    const auto own =
        session.globals.server.empty() ? session.open_store_itself(session.load_config(), Access::AsItIs) : nullptr;
    for (const auto& record : records) {
        const Uuid& id = record.task.id;
        const Uuid retry = client::retry_ended(*store, id);
        if (own) note_retry(session, *own, id, retry);
        session.tell_id(Json{{"id", retry.to_string()}, {"retry_of", id.to_string()}}, retry, "submitted ",
                        fmt::format(" as a retry of {}", id.to_string()));
    }
    return ExitCode::Done;
}

void add_ids(Command& command, std::vector<std::string>& ids) {
    command.arguments("ID", ids, "Their ids, or the beginnings of them");
}

Option add_reason(Command& command, TaskOrder& order) {
    return command.text("--reason", order.reason, "TEXT", "The reason, recorded in its history");
}

}  // namespace

void add_tasks_steering(Command& tasks) {
    auto [cancel, cancelled] = tasks.add("cancel", "End tasks, or ask their workers to", cancel_tasks);
    add_ids(cancel, cancelled.ids);
    add_reason(cancel, cancelled);
    cancel.examples({"holdfast tasks cancel 01998a2b-7c1d --reason 'wrong input'"});
    auto [retry, retried] = tasks.add("retry", "Submit copies of ended tasks; prints the new ids", retry_tasks);
    add_ids(retry, retried);
    auto [force, forced] = tasks.add("force", "End tasks at once, whatever their workers are doing", force_tasks);
    add_ids(force, forced.ids);
    force.text("--state", forced.state, "STATE", "How they end: failed (default) or cancelled");
    add_reason(force, forced).required();
    force.examples({"holdfast tasks force 01998a2b-7c1d --state cancelled --reason 'its machine is gone'"});
}

}  // namespace holdfast::cli
