#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <stdexcept>
#include <string>

#include "proof/chaos/gate.h"

namespace holdfast::chaos {

/// A server on loopback with one connection at a time, and its clients.
class LoopbackTest : public testing::Test {
protected:
    LoopbackTest() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        const sockaddr_in address = loopback(server_port);
        const int on = 1;
        setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
            listen(listener_.get(), 8) != 0)
            throw std::runtime_error("cannot listen");
    }
    [[nodiscard]] static Descriptor connect_to(int port) {
        Descriptor made(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        const sockaddr_in address = loopback(port);
        if (connect(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
            throw std::runtime_error("cannot connect");
        return made;
    }
    [[nodiscard]] Descriptor accept_one() const { return Descriptor(accept(listener_.get(), nullptr, nullptr)); }

    static void say(const Descriptor& end, const std::string& text) {
        ASSERT_EQ(send(end.get(), text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
    }
    /// The text that arrives within the time; "reset" when the connection is reset; "" when nothing arrives.
    static std::string hear(const Descriptor& end, int milliseconds = patience_ms) {
        pollfd readable{end.get(), POLLIN, 0};
        if (poll(&readable, 1, milliseconds) == 0) return "";
        char bytes[64];
        const ssize_t got = recv(end.get(), bytes, sizeof bytes, 0);
        return got <= 0 ? "reset" : std::string(bytes, static_cast<std::size_t>(got));
    }

    const int server_port = free_port();

private:
    static constexpr int patience_ms = 20'000;

    static sockaddr_in loopback(int port) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return address;
    }

    Descriptor listener_;
};

}  // namespace holdfast::chaos
