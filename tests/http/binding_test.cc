#include <gmock/gmock.h>

#include "base/text.h"
#include "holdfast/errors.h"
#include "server/http/address.h"
#include "tests/http/test_server.h"

namespace holdfast::http::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

ServerParams params_for(const std::string& address, std::uint16_t port) {
    ServerParams params;
    params.address = address;
    params.port = port;
    params.handle = [](const Request& request) { return Response{.body = request.peer}; };
    return params;
}

TEST(Binding, AddressesOfBothKindsAndNamesAreListenedOn) {
    KeptLog log;
    for (const char* address : {"127.0.0.1", "::1", "localhost", "0.0.0.0", "::"}) {
        Server server(params_for(address, 0), log);
        server.start();
        const bool is_v6 = std::string_view(address).starts_with("::");
        RawClient client(server.port(), is_v6 ? "::1" : "127.0.0.1");
        client.send(get("/"));
        EXPECT_EQ(client.answer().body, is_v6 ? "::1" : "127.0.0.1") << address;
    }
}

TEST(Binding, UrlHasBracketsAroundIpv6) {
    KeptLog log;
    Server server(params_for("::1", 0), log);
    EXPECT_EQ(server.url(), concat("http://[::1]:", server.port()));
}

TEST(Binding, Ipv4ThroughIpv6IsShownAsWhatItIs) {
    KeptLog log;
    Server server(params_for("::", 0), log);
    server.start();
    RawClient client(server.port(), "127.0.0.1");
    client.send(get("/"));
    EXPECT_EQ(client.answer().body, "127.0.0.1");
}

TEST(Binding, PortThatIsTakenIsSaidToBe) {
    KeptLog log;
    Server first(params_for("127.0.0.1", 0), log);
    first.start();
    EXPECT_THAT([&] { Server(params_for("127.0.0.1", first.port()), log); },
                ThrowsMessage<BadInput>(AllOf(HasSubstr(concat("cannot listen on 127.0.0.1:", first.port())),
                                              HasSubstr("another program uses that port"))));
}

TEST(Binding, AClientThatComesBeforeTheServerHasStartedIsAnsweredThen) {
    KeptLog log;
    Server server(params_for("127.0.0.1", 0), log);
    RawClient client(server.port());
    client.send(get("/"));
    server.start();
    EXPECT_EQ(client.answer().body, "127.0.0.1");
}

TEST(Binding, APortIsTakenBeforeTheServerHasStarted) {
    KeptLog log;
    const Server first(params_for("127.0.0.1", 0), log);
    EXPECT_THAT([&] { Server(params_for("127.0.0.1", first.port()), log); },
                ThrowsMessage<BadInput>(HasSubstr("another program uses that port")));
}

TEST(Binding, PortIsFreeAgainAsSoonAsTheServerHasGone) {
    KeptLog log;
    auto first = std::make_unique<Server>(params_for("127.0.0.1", 0), log);
    first->start();
    const std::uint16_t port = first->port();
    RawClient client(port);
    client.send(get("/"));
    client.answer();
    first.reset();
    EXPECT_NO_THROW(Server(params_for("127.0.0.1", port), log));
}

TEST(Binding, AddressThatIsNotOursAndNameThatIsNoneAreSaidToBe) {
    KeptLog log;
    EXPECT_THAT([&] { Server(params_for("192.0.2.1", 0), log); },
                ThrowsMessage<BadInput>(HasSubstr("this machine has no such address")));
    EXPECT_THAT([&] { Server(params_for("no-such-host.invalid", 0), log); },
                ThrowsMessage<BadInput>(HasSubstr("the name is not known")));
}

TEST(Binding, NetworkOfAnIpv6AddressCountsAsOneClient) {
    EXPECT_EQ(client_of("127.0.0.1"), "127.0.0.1");
    EXPECT_EQ(client_of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
    EXPECT_EQ(client_of("2001:db8:1:2:ffff::1"), client_of("2001:db8:1:2::"));
    EXPECT_NE(client_of("2001:db8:1:3::1"), client_of("2001:db8:1:2::1"));
    EXPECT_EQ(client_of("unknown"), "unknown");
}

}  // namespace
}  // namespace holdfast::http::testing
