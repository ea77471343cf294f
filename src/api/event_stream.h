#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/answers.h"
#include "http/message.h"
#include "store/store.h"

namespace holdfast::api {

/// Which lines of history somebody wants; what is unset means all.
struct EventFilter {
    std::optional<Uuid> task = {}, job = {}, worker = {};
    std::string kind = {};

    [[nodiscard]] bool passes(const store::EventRecord& event) const;
};

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

/// Reads the lines of history that are new since it last looked. Numbers are given before lines are committed, so
/// that a lower one may appear after a higher one: it reads again from where none can appear any more, and tells each
/// line once. A transaction that is under way while ten thousand lines are written is not waited for any longer.
class EventReader {
public:
    /// Forgets the past: begins after the newest line.
    void begin_now(store::Store& store);
    /// By their numbers, ascending.
    [[nodiscard]] std::vector<store::EventRecord> read(store::Store& store);
    [[nodiscard]] bool has_read(std::int64_t id) const { return id <= settled_ || told_.contains(id); }
    /// Every line up to this one has been read, and no other will appear among them.
    [[nodiscard]] std::int64_t settled() const { return settled_; }

private:
    [[nodiscard]] std::int64_t look_for_settled(store::Store& store);
    void settle(std::int64_t up_to);

    std::int64_t settled_ = 0;
    std::set<std::int64_t> told_;    // those beyond that have been read
    store::EventWriters suspected_;  // of an earlier look, as far as they are still under way
};

/// One reader of the live stream.
class EventStream final : public MessageQueue {
public:
    /// `after`: the last line that it knows; unset: it wants none of the past.
    EventStream(EventFilter filter, std::optional<std::int64_t> after, std::string token_hash)
        : MessageQueue(most_messages, std::move(token_hash)),
          filter_(std::move(filter)),
          after_(after),
          safe_(after.value_or(0)) {}

    /// With the number to come back with: of this line, or of an earlier one while some may still appear in between.
    void tell(const store::EventRecord& event, const EventReader& reader);

    // Of the looking thread.
    /// Tells what it missed of what `reader` has read; from then on it is told with the others.
    void join(store::Store& store, const EventReader& reader);
    [[nodiscard]] bool has_joined() const { return has_joined_; }

private:
    static constexpr std::size_t most_messages = 1000;
    const EventFilter filter_;
    const std::optional<std::int64_t> after_;
    std::int64_t safe_;  // whoever comes back with it misses none
    bool has_joined_ = false;
};

/// Notices what changes without a line of history: tasks that live a normal life, and workers.
class ChangeWatch {
public:
    /// What readers are told, at most four times a second; nullopt: nothing, or not yet. `has_news`: there is
    /// something to tell even if nothing has changed here.
    using Count = std::function<store::TaskCounts(store::Store&)>;
    [[nodiscard]] std::optional<Json> look(store::Store& store, const Count& count, bool has_news);

private:
    using Moment = std::chrono::steady_clock::time_point;
    [[nodiscard]] bool workers_changed(store::Store& store);

    Moment next_look_ = {};
    Moment next_look_at_workers_ = {};
    Json counts_;
    Json workers_;
    bool has_news_ = false;
};

[[nodiscard]] Json counts_shape(const store::TaskCounts& counts);

}  // namespace holdfast::api
