#include "server/api/log_stream.h"

#include "views/task.h"

namespace holdfast::api {

// The state is read before the log: a run stores its output before its end, so an ended task has its whole log.
void LogStream::read(store::ClientStore& store) {
    const std::size_t limit = room();
    if (limit < most_messages / 2) return;
    const auto task = store.find({task_}).front();
    const bool has_ended = !task || is_terminal(task->state);
    const auto page = store.read_logs({.task = task_, .after_offset = offset_, .limit = limit});
    for (const auto& record : page)
        push(message_of("log", views::to_json_shape(record), std::to_string(record.offset)));
    if (!page.empty()) offset_ = page.back().offset;
    if (!has_ended || page.size() == limit) return;
    end(message_of("end", {{"state", task ? Json(to_text(task->state)) : Json()}}));
}

}  // namespace holdfast::api
