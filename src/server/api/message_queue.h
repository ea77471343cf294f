#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "server/api/answers.h"
#include "server/http/message.h"

namespace holdfast::api {

/// A queue of messages from the thread of Live to the loop that sends them. It is bounded, so that a slow reader
/// cannot exhaust memory. Thread-safe.
class MessageQueue : public http::StreamSource {
public:
    MessageQueue(std::size_t most, std::string token_hash) : most_(most), token_hash_(std::move(token_hash)) {}

    std::vector<http::ServerSentEvent> take() override;
    [[nodiscard]] bool ended() const override;
    void on_news(std::function<void()> wake) override;

    /// Appends a message. A full queue first drops all earlier messages, and the reader receives a `gap`.
    void push(http::ServerSentEvent message);
    /// Sets the message that is sent after all others. It replaces an unsent earlier one, which is out of date.
    void push_latest(http::ServerSentEvent message);
    void end(http::ServerSentEvent last);
    [[nodiscard]] std::size_t room() const;
    [[nodiscard]] const std::string& token_hash() const { return token_hash_; }

private:
    void wake();

    const std::size_t most_;
    const std::string token_hash_;
    mutable std::mutex mutex_;  // guards the members below
    std::deque<http::ServerSentEvent> messages_;
    std::optional<http::ServerSentEvent> latest_;
    bool has_gap_ = false;
    bool has_ended_ = false;
    std::function<void()> wake_;
};

[[nodiscard]] http::ServerSentEvent message_of(std::string event, const Json& data, std::string id = {});
[[nodiscard]] http::ServerSentEvent goodbye(const std::string& reason);

}  // namespace holdfast::api
