#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "server/api/history_reader.h"
#include "server/api/message_queue.h"

namespace holdfast::api {

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
    EventStream(EventFilter filter, std::optional<std::int64_t> after, std::string token_hash)
        : MessageQueue(most_messages, std::move(token_hash)),
          filter_(std::move(filter)),
          after_(after),
          safe_(after.value_or(0)) {}

    /// Sends the line if it passes the filter. Its id is the number to resume after: that of this line, or of an
    /// earlier one while lines may still appear in between.
    void tell(const store::EventRecord& event, const HistoryReader& reader);

    // For the thread of Live only.
    /// Sends `hello`, then the lines after `after` that `reader` has already read. From then on the stream receives
    /// new lines like the others. After a StoreError nothing was sent, and the thread may call it again.
    void join(store::ClientStore& store, const HistoryReader& reader, const http::ServerSentEvent& hello);
    [[nodiscard]] bool has_joined() const { return has_joined_; }

private:
    static constexpr std::size_t most_messages = 1000;
    const EventFilter filter_;
    const std::optional<std::int64_t> after_;
    std::int64_t safe_;  // a reader that resumes after it misses no line
    bool has_joined_ = false;
};

}  // namespace holdfast::api
