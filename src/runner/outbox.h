#pragma once

#include <string>

#include "runner/messages.h"

namespace holdfast::runner {

/// Bytes that wait to be written to a socket whose writer must not block.
class Outbox {
public:
    /// Writes as much as the socket takes and keeps the rest. False when the peer is gone.
    bool send(int socket, const Message& message);
    /// Writes more of the rest. False when the peer is gone.
    bool flush(int socket);
    [[nodiscard]] std::size_t size() const { return unsent_.size() - sent_; }

private:
    std::string unsent_;
    std::size_t sent_ = 0;  // so many bytes of it
};

/// Writes a whole frame; blocks until that is done. False when the peer is gone.
bool send_waiting(int socket, const Message& message);

}  // namespace holdfast::runner
