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

/// A queue of messages between the thread that looks and the loop that sends: bounded, so that a slow reader costs no
/// memory. Thread-safe.
class MessageQueue : public http::StreamSource {
public:
    MessageQueue(std::size_t most, std::string token_hash) : most_(most), token_hash_(std::move(token_hash)) {}

    std::vector<http::ServerSentEvent> take() override;
    [[nodiscard]] bool ended() const override;
    void on_news(std::function<void()> wake) override;

    /// One that does not fit takes all before it along; the reader is told of the gap.
    void push(http::ServerSentEvent message);
    /// Sent after all others, and only the last one: what it tells of goes on changing.
    void push_latest(http::ServerSentEvent message);
    void end(http::ServerSentEvent last);
    [[nodiscard]] std::size_t room() const;
    [[nodiscard]] const std::string& token_hash() const { return token_hash_; }

private:
    void wake();

    const std::size_t most_;
    const std::string token_hash_;
    mutable std::mutex mutex_;  // guards what follows
    std::deque<http::ServerSentEvent> messages_;
    std::optional<http::ServerSentEvent> latest_;
    bool has_gap_ = false;
    bool has_ended_ = false;
    std::function<void()> wake_;
};

[[nodiscard]] http::ServerSentEvent message_of(std::string event, const Json& data, std::string id = {});
[[nodiscard]] http::ServerSentEvent goodbye(const std::string& reason);

}  // namespace holdfast::api
