#include "runner/outbox.h"

#include <errno.h>
#include <sys/socket.h>

namespace holdfast::runner {

bool Outbox::send(int socket, const Message& message) {
    append_frame(unsent_, message);
    return flush(socket);
}

bool Outbox::flush(int socket) {
    while (size() > 0) {
        const ssize_t sent = ::send(socket, unsent_.data() + sent_, size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
        sent_ += static_cast<std::size_t>(sent);
    }
    unsent_.clear();
    sent_ = 0;
    return true;
}

bool send_waiting(int socket, const Message& message) {
    std::string frame;
    append_frame(frame, message);
    for (std::size_t sent = 0; sent < frame.size();) {
        const ssize_t now = ::send(socket, frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL);
        if (now < 0 && errno != EINTR) return false;
        if (now > 0) sent += static_cast<std::size_t>(now);
    }
    return true;
}

}  // namespace holdfast::runner
