#include <ostream>

#include "cli/commands.h"
#include "cli/ids.h"
#include "cli/terminal/json_shapes.h"
#include "client/task_operations.h"

namespace holdfast::cli {

namespace {

void print_retried(const Session& session, const Uuid& old_id, const Uuid& new_id) {
    const Io& io = session.io;
    if (session.globals.json)
        io.out << Json{{"id", new_id.to_string()}, {"retry_of", old_id.to_string()}}.dump() << '\n';
    else if (io.terminal)
        io.out << "submitted " << paint(io, Tone::Strong, new_id.to_string()) << " as a retry of "
               << old_id.to_string() << '\n';
    else
        io.out << new_id.to_string() << '\n';
}

ExitCode retry_tasks(Session& session, const std::vector<std::string>& given_ids) {
    const auto store = session.open_store(Access::AsItIs);
    const auto records = resolve_tasks(*store, given_ids);
    for (const auto& record : records) client::require_retryable(*store, record);
    for (const Uuid& id : ids_of(records)) print_retried(session, id, client::retry_ended(*store, id));
    return ExitCode::Done;
}

}  // namespace

void add_tasks_retry(Command& tasks) {
    auto [command, ids] = tasks.add("retry", "Submit copies of ended tasks; prints the new ids", retry_tasks);
    command.arguments("ID", ids, "Their ids, or the beginnings of them");
}

}  // namespace holdfast::cli
