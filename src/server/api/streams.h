#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "server/api/access.h"
#include "server/api/history_reader.h"

namespace holdfast::api {

[[nodiscard]] http::ServerSentEvent message_of(std::string event, const Json& data, std::string id = {});
[[nodiscard]] http::ServerSentEvent goodbye(const std::string& reason);

/// A queue of messages from the thread of Live to the loop that sends them. It is bounded, so that a slow reader
/// cannot exhaust memory. Thread-safe.
class MessageQueue : public http::StreamSource {
public:
    MessageQueue(std::size_t most, Credential credential) : most_(most), credential_(std::move(credential)) {}

    std::vector<http::ServerSentEvent> take() override;
    [[nodiscard]] bool ended() const override;
    void on_news(std::function<void()> wake) override;

    /// Appends a message. A full queue first drops all earlier messages, and the reader receives a `gap`.
    void push(http::ServerSentEvent message);
    /// Sets the message that is sent after all others. It replaces an unsent earlier one, which is out of date.
    void push_latest(http::ServerSentEvent message);
    void end(http::ServerSentEvent last);
    [[nodiscard]] std::size_t room() const;
    /// What its reader presented.
    [[nodiscard]] const Credential& credential() const { return credential_; }

private:
    /// Changes the queue and wakes the loop; does nothing once the stream has ended.
    template <typename Change>
    void change(const Change& make);

    const std::size_t most_;
    const Credential credential_;
    mutable std::mutex mutex_;  // guards the members below
    std::deque<http::ServerSentEvent> messages_;
    std::optional<http::ServerSentEvent> latest_;
    bool has_gap_ = false;
    bool has_ended_ = false;
    std::function<void()> wake_;
};

/// The lines of history that a client wants. An unset member matches every line.
struct EventFilter {
    std::optional<Uuid> task = {}, job = {}, worker = {};
    std::string kind = {};

    [[nodiscard]] bool passes(const store::EventRecord& event) const;
};

/// The live stream of events to one reader.
class EventStream final : public MessageQueue {
public:
    /// `after`: the last line that the reader knows; unset: the reader wants only new lines.
    EventStream(EventFilter filter, std::optional<std::int64_t> after, const Caller& caller)
        : MessageQueue(most_messages, caller.credential),
          queues_(caller.queues),
          filter_(std::move(filter)),
          after_(after),
          safe_(after.value_or(0)) {}

    /// Sends the line if it passes the filter. Its id is the number to resume after: that of this line, or of an
    /// earlier one while lines may still appear in between.
    void tell(const store::EventRecord& event, const HistoryReader& reader);
    /// The queues that the reader may see; empty: all.
    [[nodiscard]] const store::Queues& queues() const { return queues_; }

    // For the thread of Live only.
    /// Sends `hello`, then the lines after `after` that `reader` has already read. From then on the stream receives
    /// new lines like the others. After a StoreError nothing was sent, and the thread may call it again.
    void join(store::ClientStore& store, const HistoryReader& reader, const http::ServerSentEvent& hello);
    [[nodiscard]] bool has_joined() const { return has_joined_; }

private:
    static constexpr std::size_t most_messages = 1000;
    const store::Queues queues_;
    const EventFilter filter_;
    const std::optional<std::int64_t> after_;
    std::int64_t safe_;  // a reader that resumes after it misses no line
    bool has_joined_ = false;
};

/// The output of a task's runs, streamed to one reader. It reads the store only as fast as the reader consumes.
class LogStream final : public MessageQueue {
public:
    LogStream(const Uuid& task, std::int64_t after, const Caller& caller)
        : MessageQueue(most_messages, caller.credential), task_(task), offset_(after) {}

    /// Reads new output from the store, and ends the stream after the task has ended. For the thread of Live only.
    void read(store::ClientStore& store);

private:
    static constexpr std::size_t most_messages = 200;
    const Uuid task_;
    std::int64_t offset_;
};

/// The streams of one kind that clients read. Thread-safe.
template <typename Stream>
class OpenStreams {
public:
    void add(const std::shared_ptr<Stream>& stream) {
        const std::lock_guard lock(mutex_);
        streams_.push_back(stream);
    }
    /// Returns the streams that are still open, and forgets the others.
    [[nodiscard]] std::vector<std::shared_ptr<Stream>> all() {
        const std::lock_guard lock(mutex_);
        std::vector<std::shared_ptr<Stream>> open;
        std::erase_if(streams_, [&](const std::weak_ptr<Stream>& weak) {
            auto stream = weak.lock();
            if (!stream || stream->ended()) return true;
            open.push_back(std::move(stream));
            return false;
        });
        return open;
    }

private:
    std::mutex mutex_;
    std::vector<std::weak_ptr<Stream>> streams_;  // guarded by mutex_
};

}  // namespace holdfast::api
