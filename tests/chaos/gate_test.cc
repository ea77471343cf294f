#include "chaos/gate.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

namespace holdfast::chaos {
namespace {

using platform::Descriptor;

constexpr int patience_ms = 20'000;

sockaddr_in loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

/// What a server would do, one connection at a time.
class GateTest : public testing::Test {
protected:
    GateTest() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        const sockaddr_in address = loopback(server_port_);
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
    /// What arrives within the time; "reset" when the connection is; "" when nothing does.
    static std::string hear(const Descriptor& end, int milliseconds = patience_ms) {
        pollfd readable{end.get(), POLLIN, 0};
        if (poll(&readable, 1, milliseconds) == 0) return "";
        char bytes[64];
        const ssize_t got = recv(end.get(), bytes, sizeof bytes, 0);
        return got <= 0 ? "reset" : std::string(bytes, static_cast<std::size_t>(got));
    }

    int server_port_ = free_port();
    Descriptor listener_;
    Gate gate_{server_port_};
};

TEST_F(GateTest, CarriesBytesBothWays) {
    const Descriptor client = connect_to(gate_.port());
    const Descriptor server = accept_one();
    say(client, "hello");
    EXPECT_EQ(hear(server), "hello");
    say(server, "world");
    EXPECT_EQ(hear(client), "world");
}

TEST_F(GateTest, HoldsBackWhatIsSentWhileItIsCutAndDeliversItAfterwards) {
    const Descriptor client = connect_to(gate_.port());
    const Descriptor server = accept_one();
    say(client, "before");
    EXPECT_EQ(hear(server), "before");
    gate_.set(Gate::Mode::Cut);
    say(server, "x");  // by its time the gate has heard of the cut, or carries this one as well
    (void)hear(client, 200);
    say(client, "during");
    EXPECT_EQ(hear(server, 200), "");
    gate_.set(Gate::Mode::Open);
    EXPECT_EQ(hear(server), "during");
}

TEST_F(GateTest, ResetsConnectionsAndMakesNewOnes) {
    const Descriptor client = connect_to(gate_.port());
    const Descriptor server = accept_one();
    gate_.reset();
    EXPECT_EQ(hear(client), "reset");
    EXPECT_EQ(hear(server), "reset");
    const Descriptor again = connect_to(gate_.port());
    const Descriptor other_end = accept_one();
    say(again, "again");
    EXPECT_EQ(hear(other_end), "again");
}

TEST_F(GateTest, RefusesNewConnectionsUntilItIsOpened) {
    gate_.set(Gate::Mode::Refuse);
    const Descriptor refused = connect_to(gate_.port());
    EXPECT_EQ(hear(refused), "reset");
    gate_.set(Gate::Mode::Open);
    const Descriptor client = connect_to(gate_.port());
    const Descriptor server = accept_one();
    say(client, "hello");
    EXPECT_EQ(hear(server), "hello");
}

}  // namespace
}  // namespace holdfast::chaos
