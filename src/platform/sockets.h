#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/descriptor.h"

namespace holdfast::platform {

/// Two connected ends, closed on exec. `type` is SOCK_STREAM or SOCK_SEQPACKET. Throws std::system_error.
[[nodiscard]] std::pair<Descriptor, Descriptor> socket_pair(int type);
/// What is written to the second can be read from the first; both closed on exec. Throws std::system_error.
[[nodiscard]] std::pair<Descriptor, Descriptor> pipe_pair();
void set_nonblocking(int descriptor);

/// Sends all bytes on a stream, and waits for the peer where it must. False when the peer is gone; see errno.
[[nodiscard]] bool send_all(int socket, std::string_view bytes);

/// A packet that arrived, with the descriptors that came along (closed on exec).
struct Packet {
    std::string bytes;
    std::vector<Descriptor> descriptors;
};

enum class Received { Packet, Nothing, Closed };

/// Sends one packet on a SOCK_SEQPACKET socket. Blocks if the socket is blocking. False when it failed; see errno.
[[nodiscard]] bool send_packet(int socket, std::string_view bytes, const std::vector<int>& descriptors = {});
/// Receives the next packet without blocking. Packets have at most 64 KiB and 8 descriptors.
[[nodiscard]] Received receive_packet(int socket, Packet& packet);

}  // namespace holdfast::platform
