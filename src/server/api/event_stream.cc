#include "server/api/event_stream.h"

#include <algorithm>

#include "views/task.h"

namespace holdfast::api {

namespace {

/// A reader that resumes receives about this many missed lines at most.
constexpr std::size_t most_missed = 10'000;

bool is_about(const std::optional<Uuid>& wanted, const Uuid& id) {
    return !wanted || *wanted == id;
}

}  // namespace

bool EventFilter::passes(const store::EventRecord& event) const {
    return is_about(task, event.task) && is_about(job, event.job) && is_about(worker, event.worker) &&
           (kind.empty() || kind == event.kind);
}

void EventStream::tell(const store::EventRecord& event, const HistoryReader& reader) {
    safe_ = std::max(safe_, std::min(event.id, reader.settled()));
    if (filter_.passes(event))
        push(message_of("event", views::to_json_shape(views::WholeEvent{event}), std::to_string(safe_)));
}

void EventStream::join(store::ClientStore& store, const HistoryReader& reader, const http::ServerSentEvent& hello) {
    std::vector<store::EventRecord> missed;
    if (after_) missed = lines_after(store, *after_, most_missed);
    push(hello);
    for (const auto& event : missed)
        if (reader.has_read(event.id)) tell(event, reader);
    if (missed.size() >= most_missed) push(message_of("gap", Json::object()));  // the reader reloads faster
    has_joined_ = true;
}

}  // namespace holdfast::api
