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

/// A packet that arrived, with the descriptors that came along (closed on exec).
struct Packet {
    std::string bytes;
    std::vector<Descriptor> descriptors;
};

enum class Received { Packet, Nothing, Closed };

/// Sends one packet on a SOCK_SEQPACKET socket. Waits if the socket does. False when it did not work; see errno.
[[nodiscard]] bool send_packet(int socket, std::string_view bytes, const std::vector<int>& descriptors = {});
/// Takes the next packet without waiting. Packets are at most 64 KiB and carry at most 8 descriptors.
[[nodiscard]] Received receive_packet(int socket, Packet& packet);

}  // namespace holdfast::platform
