#include "api/event_stream.h"

#include <algorithm>
#include <utility>

namespace holdfast::api {

namespace {

using Steady = std::chrono::steady_clock;

bool is_about(const std::optional<Uuid>& wanted, const Uuid& id) {
    return !wanted || *wanted == id;
}

}  // namespace

bool EventFilter::passes(const store::EventRecord& event) const {
    return is_about(task, event.task) && is_about(job, event.job) && is_about(worker, event.worker) &&
           (kind.empty() || kind == event.kind);
}

http::ServerSentEvent message_of(std::string event, const Json& data, std::string id) {
    return {.event = std::move(event), .id = std::move(id), .data = to_text(data)};
}

http::ServerSentEvent goodbye(const std::string& reason) {
    return message_of("bye", {{"reason", reason}});
}

// ---- MessageQueue
// ----------------------------------------------------------------------------------------------------

std::vector<http::ServerSentEvent> MessageQueue::take() {
    const std::lock_guard lock(mutex_);
    std::vector<http::ServerSentEvent> taken;
    if (std::exchange(has_gap_, false)) taken.push_back(message_of("gap", Json::object()));
    std::move(messages_.begin(), messages_.end(), std::back_inserter(taken));
    messages_.clear();
    if (latest_) taken.push_back(*std::exchange(latest_, std::nullopt));
    return taken;
}

bool MessageQueue::ended() const {
    const std::lock_guard lock(mutex_);
    return has_ended_;
}

void MessageQueue::on_news(std::function<void()> wake) {
    {
        const std::lock_guard lock(mutex_);
        wake_ = std::move(wake);
        if (messages_.empty() && !latest_) return;
    }
    this->wake();
}

void MessageQueue::push(http::ServerSentEvent message) {
    {
        const std::lock_guard lock(mutex_);
        if (has_ended_) return;
        if (messages_.size() >= most_) {
            messages_.clear();
            has_gap_ = true;
        }
        messages_.push_back(std::move(message));
    }
    wake();
}

void MessageQueue::push_latest(http::ServerSentEvent message) {
    {
        const std::lock_guard lock(mutex_);
        if (has_ended_) return;
        latest_ = std::move(message);
    }
    wake();
}

void MessageQueue::end(http::ServerSentEvent last) {
    {
        const std::lock_guard lock(mutex_);
        if (std::exchange(has_ended_, true)) return;
        messages_.push_back(std::move(last));
        latest_.reset();
    }
    wake();
}

std::size_t MessageQueue::room() const {
    const std::lock_guard lock(mutex_);
    return most_ - std::min(most_, messages_.size());
}

void MessageQueue::wake() {
    std::function<void()> wake;
    {
        const std::lock_guard lock(mutex_);
        wake = wake_;
    }
    if (wake) wake();
}

void EventStream::tell(const store::EventRecord& event, const EventReader& reader) {
    safe_ = std::max(safe_, std::min(event.id, reader.settled()));
    if (filter_.passes(event)) push(message_of("event", wire::job_event_shape(event), std::to_string(safe_)));
}

void EventStream::join(store::Store& store, const EventReader& reader) {
    constexpr std::size_t page_size = 1000;
    constexpr int most_pages = 10;
    has_joined_ = true;
    if (!after_) return;
    std::int64_t last = *after_;
    for (int pages = 0; pages < most_pages; ++pages) {
        const auto page = store.events({.task = {}, .worker = {}, .after_id = last, .limit = page_size});
        for (const auto& event : page)
            if (reader.has_read(event.id)) tell(event, reader);
        if (page.size() < page_size) return;
        last = page.back().id;
    }
    push(message_of("gap", Json::object()));  // so much was missed that it is read anew faster
}

// ---- EventReader
// -----------------------------------------------------------------------------------------------------

namespace {

constexpr std::int64_t most_unsettled = 10'000;

std::vector<store::EventRecord> lines_after(store::Store& store, std::int64_t after) {
    constexpr std::size_t page_size = 1000;
    std::vector<store::EventRecord> lines;
    for (;;) {
        auto page = store.events({.task = {}, .worker = {}, .after_id = after, .limit = page_size});
        const bool is_last = page.size() < page_size;
        if (!page.empty()) after = page.back().id;
        std::move(page.begin(), page.end(), std::back_inserter(lines));
        if (is_last) return lines;
    }
}

}  // namespace

void EventReader::begin_now(store::Store& store) {
    told_.clear();
    suspected_ = store.event_writers();
    settled_ = suspected_.newest;
    if (suspected_.writers.empty()) return;
    settled_ = std::max<std::int64_t>(0, settled_ - most_unsettled);
    for (const auto& event : lines_after(store, settled_)) told_.insert(event.id);
}

/// Whoever wrote at an earlier look and is done by now has left nothing behind that could still appear.
std::int64_t EventReader::look_for_settled(store::Store& store) {
    store::EventWriters now = store.event_writers();
    std::erase_if(suspected_.writers,
                  [&](const std::string& writer) { return std::ranges::count(now.writers, writer) == 0; });
    if (!suspected_.writers.empty()) return settled_;
    std::int64_t settled = suspected_.newest;
    if (now.writers.empty()) settled = now.newest;
    suspected_ = std::move(now);
    return std::max(settled_, settled);
}

void EventReader::settle(std::int64_t up_to) {
    settled_ = up_to;
    told_.erase(told_.begin(), told_.upper_bound(settled_));
    while (std::ssize(told_) > most_unsettled) {
        settled_ = *told_.begin();
        told_.erase(told_.begin());
    }
}

std::vector<store::EventRecord> EventReader::read(store::Store& store) {
    const std::int64_t settled = look_for_settled(store);  // first: what is settled can be read from then on
    std::vector<store::EventRecord> fresh = lines_after(store, settled_);
    std::erase_if(fresh, [&](const store::EventRecord& event) { return !told_.insert(event.id).second; });
    settle(settled);
    return fresh;
}

// ---- ChangeWatch
// -----------------------------------------------------------------------------------------------------

Json counts_shape(const store::TaskCounts& counts) {
    return {{"pending", counts.pending},     {"claimed", counts.claimed}, {"running", counts.running},
            {"completed", counts.completed}, {"failed", counts.failed},   {"cancelled", counts.cancelled},
            {"expired", counts.expired}};
}

bool ChangeWatch::workers_changed(store::Store& store) {
    constexpr auto interval = std::chrono::seconds(2);
    if (Steady::now() < next_look_at_workers_) return false;
    next_look_at_workers_ = Steady::now() + interval;
    Json workers = Json::array();
    for (const auto& worker : store.workers())
        workers.push_back({worker.registration.id.to_string(), to_text(worker.status), worker.cordoned,
                           worker.drain_requested, worker.held.size(),
                           worker.seconds_ago > 3 * worker.registration.beat_interval});
    return std::exchange(workers_, workers) != workers;
}

/// A look that costs something is made the more rarely: counting takes a tenth of the time at most.
std::optional<Json> ChangeWatch::look(store::Store& store, const Count& count, bool has_news) {
    constexpr Steady::duration interval = std::chrono::milliseconds(250);
    has_news_ = has_news_ || has_news;
    const auto began = Steady::now();
    if (began < next_look_) return std::nullopt;
    Json counts = counts_shape(count(store));
    const bool tasks = std::exchange(counts_, counts) != counts;
    const bool workers = workers_changed(store);
    next_look_ = began + std::max(interval, 10 * (Steady::now() - began));
    const bool news = std::exchange(has_news_, false);
    if (!tasks && !workers && !news) return std::nullopt;
    return Json{{"tasks", tasks || news}, {"jobs", tasks || news}, {"workers", workers || news}, {"counts", counts}};
}

}  // namespace holdfast::api
