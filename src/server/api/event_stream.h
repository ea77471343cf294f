#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "server/api/history_reader.h"
#include "server/api/message_queue.h"

namespace holdfast::api {

/// Which lines of history somebody wants; what is unset means all.
struct EventFilter {
    std::optional<Uuid> task = {}, job = {}, worker = {};
    std::string kind = {};

    [[nodiscard]] bool passes(const store::EventRecord& event) const;
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
    void tell(const store::EventRecord& event, const HistoryReader& reader);

    // Of the looking thread.
    /// Greets it, and tells what it missed of what `reader` has read; from then on it is told with the others. When
    /// that fails (StoreError), nothing was told, and it may be tried again.
    void join(store::ClientStore& store, const HistoryReader& reader, const http::ServerSentEvent& hello);
    [[nodiscard]] bool has_joined() const { return has_joined_; }

private:
    static constexpr std::size_t most_messages = 1000;
    const EventFilter filter_;
    const std::optional<std::int64_t> after_;
    std::int64_t safe_;  // whoever comes back with it misses none
    bool has_joined_ = false;
};

}  // namespace holdfast::api
