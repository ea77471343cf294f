#include "api/event_stream.h"

#include <algorithm>
#include <utility>

namespace holdfast::api {

namespace {

using Lines = std::vector<store::EventRecord>;

/// So many lines are told to one who comes back.
constexpr std::size_t most_missed = 10'000;

Lines lines_after(store::Store& store, std::int64_t last) {
    constexpr std::size_t page_size = 1000;
    Lines lines;
    while (lines.size() < most_missed) {
        Lines page = store.events({.task = {}, .worker = {}, .after_id = last, .limit = page_size});
        const bool is_last = page.size() < page_size;
        if (!page.empty()) last = page.back().id;
        std::move(page.begin(), page.end(), std::back_inserter(lines));
        if (is_last) break;
    }
    return lines;
}

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
    if (filter_.passes(event)) push(message_of("event", wire::job_event_shape(event), std::to_string(safe_)));
}

void EventStream::join(store::Store& store, const HistoryReader& reader, const http::ServerSentEvent& hello) {
    const Lines missed = after_ ? lines_after(store, *after_) : Lines();
    push(hello);
    for (const auto& event : missed)
        if (reader.has_read(event.id)) tell(event, reader);
    if (missed.size() >= most_missed) push(message_of("gap", Json::object()));  // it is read anew faster
    has_joined_ = true;
}

}  // namespace holdfast::api
