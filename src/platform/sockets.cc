#include "platform/sockets.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/throw_errno.h"

namespace holdfast::platform {

namespace {

constexpr std::size_t most_descriptors = 8;
using Ancillary = std::array<char, CMSG_SPACE(sizeof(int) * most_descriptors)>;

void attach(msghdr& message, Ancillary& ancillary, const std::vector<int>& descriptors) {
    const std::size_t size = sizeof(int) * descriptors.size();
    message.msg_control = ancillary.data();
    message.msg_controllen = CMSG_SPACE(size);
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(size);
    std::memcpy(CMSG_DATA(header), descriptors.data(), size);
}

void detach(msghdr& message, std::vector<Descriptor>& descriptors) {
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int number = -1;
            std::memcpy(&number, CMSG_DATA(header) + i * sizeof(int), sizeof number);
            descriptors.emplace_back(number);
        }
    }
}

}  // namespace

std::pair<Descriptor, Descriptor> socket_pair(int type) {
    int ends[2];
    if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0) throw_errno("socketpair");
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

std::pair<Descriptor, Descriptor> pipe_pair() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw_errno("pipe2");
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

void set_nonblocking(int descriptor) {
    const int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) != 0) throw_errno("fcntl");
}

bool send_all(int socket, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) return false;
        if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

bool send_packet(int socket, std::string_view bytes, const std::vector<int>& descriptors) {
    iovec part{const_cast<char*>(bytes.data()), bytes.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    Ancillary ancillary{};
    if (!descriptors.empty()) attach(message, ancillary, descriptors);
    while (sendmsg(socket, &message, MSG_NOSIGNAL) < 0)
        if (errno != EINTR) return false;
    return true;
}

Received receive_packet(int socket, Packet& packet) {
    packet.bytes.resize(64 * 1024);
    packet.descriptors.clear();
    iovec part{packet.bytes.data(), packet.bytes.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    Ancillary ancillary{};
    message.msg_control = ancillary.data();
    message.msg_controllen = ancillary.size();
    ssize_t got = 0;
    while ((got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT)) < 0 && errno == EINTR) {
    }
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Received::Nothing;
    if (got <= 0) return Received::Closed;
    detach(message, packet.descriptors);
    packet.bytes.resize(static_cast<std::size_t>(got));
    return Received::Packet;
}

}  // namespace holdfast::platform
