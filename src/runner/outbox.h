#pragma once

#include <string>

#include "runner/messages.h"

namespace holdfast::runner {

/// What is still to be written to a socket that must not make its writer wait.
class Outbox {
public:
    /// Writes at once what the socket takes, and keeps the rest. False when the peer is gone.
    bool send(int socket, const Message& message);
    /// Goes on with what was kept. False when the peer is gone.
    bool flush(int socket);
    [[nodiscard]] std::size_t size() const { return unsent_.size() - sent_; }

private:
    std::string unsent_;
    std::size_t sent_ = 0;  // so many bytes of it
};

/// Writes a whole frame, waiting for as long as it takes. False when the peer is gone.
bool send_waiting(int socket, const Message& message);

}  // namespace holdfast::runner
