#pragma once

#include <string>

#include "server/api/message_queue.h"
#include "store/store.h"

namespace holdfast::api {

/// One reader of what the runs of a task print. It is read on only as fast as the reader takes it.
class LogStream final : public MessageQueue {
public:
    LogStream(const Uuid& task, std::int64_t after, std::string token_hash)
        : MessageQueue(most_messages, std::move(token_hash)), task_(task), offset_(after) {}

    /// Reads what is new; ends when the task has. Of the looking thread.
    void read(store::ClientStore& store);

private:
    static constexpr std::size_t most_messages = 200;
    const Uuid task_;
    std::int64_t offset_;
};

}  // namespace holdfast::api
