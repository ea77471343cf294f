#include "server/api/message_queue.h"

#include <algorithm>
#include <utility>

namespace holdfast::api {

http::ServerSentEvent message_of(std::string event, const Json& data, std::string id) {
    return {.event = std::move(event), .id = std::move(id), .data = views::dump_line(data)};
}

http::ServerSentEvent goodbye(const std::string& reason) {
    return message_of("bye", {{"reason", reason}});
}

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

}  // namespace holdfast::api
