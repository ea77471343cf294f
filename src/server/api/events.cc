#include <algorithm>

#include "server/api/ids.h"
#include "server/api/resources.h"
#include "views/task.h"

namespace holdfast::api {

namespace {

using Events = std::vector<store::EventRecord>;

/// One request searches at most this much of the history for lines that pass its filter.
constexpr std::size_t page_of_history = 1000;
constexpr int most_pages = 20;

EventFilter filter_of(Call& call) {
    EventFilter filter;
    if (call.is_given("task")) filter.task = find_task(call.store(), call.text("task")).task.id;
    if (call.is_given("job")) filter.job = find_job(call.store(), call.text("job")).id;
    if (call.is_given("worker")) filter.worker = find_worker(call.store(), call.text("worker")).registration.id;
    filter.kind = call.text("kind");
    return filter;
}

/// A job's history includes the lines about the tasks of its steps. They lack the id of the job, so the filter
/// ignores it here.
bool is_wanted(const EventFilter& filter, const store::EventRecord& event) {
    EventFilter beside_job = filter;
    beside_job.job.reset();
    return beside_job.passes(event);
}

Events read_page(store::ClientStore& store, const EventFilter& filter, std::int64_t after) {
    if (filter.job) return store.job_events({.job = *filter.job, .after_id = after, .limit = page_of_history});
    return store.events({.task = filter.task, .worker = filter.worker, .after_id = after, .limit = page_of_history});
}

http::Response answer_events(const Events& events, Json next = nullptr) {
    return answer_list(std::vector<views::WholeEvent>(events.begin(), events.end()), std::move(next));
}

/// Returns the oldest lines first. `next` is the line where the search ended, even if it did not pass the filter.
http::Response list_after(Call& call, const EventFilter& filter, std::int64_t after) {
    Events found;
    for (int pages = 0; pages < most_pages; ++pages) {
        Events page = read_page(call.store(), filter, after);
        const bool is_last = page.size() < page_of_history;
        for (auto& event : page) {
            if (found.size() == call.limit()) return answer_events(found, after);
            after = event.id;
            if (is_wanted(filter, event)) found.push_back(std::move(event));
        }
        if (is_last) return answer_events(found);
    }
    return answer_events(found, after);
}

/// Returns the whole history of one task, job or worker, newest first: it is short.
Events newest_about(store::ClientStore& store, const EventFilter& filter) {
    Events all;
    for (std::int64_t after = 0;;) {
        Events page = read_page(store, filter, after);
        if (!page.empty()) after = page.back().id;
        const bool is_last = page.size() < page_of_history;
        std::move(page.begin(), page.end(), std::back_inserter(all));
        if (is_last) break;
    }
    std::ranges::reverse(all);
    return all;
}

http::Response list_newest(Call& call, const EventFilter& filter) {
    const bool is_about_one = filter.task || filter.job || filter.worker;
    const std::size_t looked_at = filter.kind.empty() ? call.limit() : page_of_history * most_pages;
    Events events = is_about_one ? newest_about(call.store(), filter) : call.store().last_events(looked_at);
    std::erase_if(events, [&](const auto& event) { return !is_wanted(filter, event); });
    if (events.size() > call.limit()) events.resize(call.limit());
    return answer_events(events);
}

std::optional<std::int64_t> where_to_go_on(const Call& call) {
    if (const auto last = last_event_id(call.request)) return last;
    if (call.is_given("after")) return call.number("after", 0);
    return std::nullopt;
}

}  // namespace

http::Reply list_or_stream_events(Call& call) {
    const EventFilter filter = filter_of(call);
    const bool wants_stream = call.request.header("accept").find("text/event-stream") != std::string_view::npos;
    if (wants_stream)
        return http::EventStream{.headers = {},
                                 .source = call.services.live.events(filter, where_to_go_on(call), call.caller)};
    if (call.is_given("after")) return list_after(call, filter, call.number("after", 0));
    return list_newest(call, filter);
}

}  // namespace holdfast::api
