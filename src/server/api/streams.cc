#include "server/api/streams.h"

#include <algorithm>
#include <utility>

#include "views/task.h"

namespace holdfast::api {

namespace {

/// A reader that resumes receives about this many missed lines at most.
constexpr std::size_t most_missed = 10'000;

bool is_about(const std::optional<Uuid>& wanted, const Uuid& id) {
    return !wanted || *wanted == id;
}

}  // namespace

http::ServerSentEvent message_of(std::string event, const Json& data, std::string id) {
    return {.event = std::move(event), .id = std::move(id), .data = views::dump_line(data)};
}

http::ServerSentEvent goodbye(const std::string& reason) {
    return message_of("bye", {{"reason", reason}});
}

// ---- The queue ----------------------------------------------------------------------------------

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
        wake_ = wake;
        if (messages_.empty() && !latest_) return;
    }
    wake();
}

template <typename Change>
void MessageQueue::change(const Change& make) {
    std::function<void()> wake;
    {
        const std::lock_guard lock(mutex_);
        if (has_ended_) return;
        make();
        wake = wake_;
    }
    if (wake) wake();
}

void MessageQueue::push(http::ServerSentEvent message) {
    change([&] {
        has_gap_ = has_gap_ || messages_.size() >= most_;
        if (messages_.size() >= most_) messages_.clear();
        messages_.push_back(std::move(message));
    });
}

void MessageQueue::push_latest(http::ServerSentEvent message) {
    change([&] { latest_ = std::move(message); });
}

void MessageQueue::end(http::ServerSentEvent last) {
    change([&] {
        has_ended_ = true;
        messages_.push_back(std::move(last));
        latest_.reset();
    });
}

std::size_t MessageQueue::room() const {
    const std::lock_guard lock(mutex_);
    return most_ - std::min(most_, messages_.size());
}

// ---- Events -------------------------------------------------------------------------------------

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

// ---- Logs ---------------------------------------------------------------------------------------

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
