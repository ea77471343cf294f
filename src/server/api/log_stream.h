#pragma once

#include <string>

#include "server/api/message_queue.h"
#include "store/store.h"

namespace holdfast::api {

/// The output of a task's runs, streamed to one reader. It reads the store only as fast as the reader consumes.
class LogStream final : public MessageQueue {
public:
    LogStream(const Uuid& task, std::int64_t after, std::string token_hash)
        : MessageQueue(most_messages, std::move(token_hash)), task_(task), offset_(after) {}

    /// Reads new output from the store, and ends the stream after the task has ended. For the thread of Live only.
    void read(store::ClientStore& store);

private:
    static constexpr std::size_t most_messages = 200;
    const Uuid task_;
    std::int64_t offset_;
};

}  // namespace holdfast::api
