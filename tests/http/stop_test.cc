#include <gmock/gmock.h>

#include "base/text.h"
#include "tests/http/test_server.h"

namespace holdfast::http::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

TEST(Stop, StreamsEndWithAGoodByeThatSaysWhy) {
    TestServer server;
    RawClient client(server.port());
    client.send(get("/stream"));
    ASSERT_TRUE(eventually([&] { return server->counts().streams == 1; }));
    server.source->push({.data = "before"});
    server->stop(10s, "a \"new\" version comes");
    const std::string text = client.rest();
    EXPECT_THAT(text, HasSubstr("data: before\n\n"));
    EXPECT_TRUE(text.ends_with("event: bye\ndata: {\"reason\":\"a \\\"new\\\" version comes\"}\n\n")) << text;
}

TEST(Stop, RequestsUnderWayAreFinished) {
    TestServer server;
    RawClient client(server.port());
    client.send(get("/gate"));
    server.gate.await_arrivals(1);
    auto stopping = std::async(std::launch::async, [&] { server->stop(10s); });
    EXPECT_EQ(stopping.wait_for(200ms), std::future_status::timeout);
    server.gate.open();
    EXPECT_EQ(client.answer().status, 200);
    EXPECT_TRUE(client.is_closed_within());
    stopping.get();
}

TEST(Stop, NobodyIsWaitedForLongerThanTheGrace) {
    TestServer server({.workers = 1});
    RawClient running(server.port());
    running.send(get("/gate"));
    server.gate.await_arrivals(1);
    RawClient waiting(server.port());
    waiting.send(get("/gate"));
    RawClient half(server.port());
    half.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab");
    ASSERT_TRUE(eventually([&] { return server->counts().waiting == 1 && server->counts().connections == 3; }));
    auto stopping = std::async(std::launch::async, [&] { server->stop(100ms); });
    EXPECT_TRUE(running.is_closed_within());
    EXPECT_TRUE(waiting.is_closed_within());
    EXPECT_TRUE(half.is_closed_within());
    server.gate.open();  // a handler cannot be ended from outside; stop() returns with it
    stopping.get();
}

TEST(Stop, IdleConnectionsGoAtOnce) {
    TestServer server;
    RawClient silent(server.port());
    RawClient served(server.port());
    served.send(get("/echo"));
    served.answer();
    ASSERT_TRUE(eventually([&] { return server->counts().connections == 2; }));
    const auto began = std::chrono::steady_clock::now();
    server->stop(30s);
    EXPECT_LT(std::chrono::steady_clock::now() - began, 10s);
    EXPECT_TRUE(silent.is_closed_within(0ms));
    EXPECT_TRUE(served.is_closed_within(0ms));
}

TEST(Stop, NoConnectionIsTakenAfterwardsAndTheSecondStopDoesNothing) {
    TestServer server;
    const std::uint16_t port = server.port();
    server->stop(1s);
    server->stop(1s);
    EXPECT_ANY_THROW(RawClient{port});
    EXPECT_EQ(server->counts().connections, 0U);
}

TEST(Stop, ServerThatIsJustDestroyedLeavesNobodyHanging) {
    auto source = std::make_shared<TestSource>();
    std::unique_ptr<RawClient> stream;
    {
        TestServer server;
        server.source = source;
        stream = std::make_unique<RawClient>(server.port());
        stream->send(get("/stream"));
        ASSERT_TRUE(eventually([&] { return server->counts().streams == 1; }));
    }
    stream->rest();
    EXPECT_TRUE(stream->is_closed_within());
    source->push({.data = "nobody listens any more"});
}

TEST(Stop, ManyStreamsAreAllToldGoodBye) {
    TestServer server({.requests_per_second_per_peer = 0});
    std::vector<RawClient> clients;
    for (int count = 0; count < 300; ++count) {
        clients.emplace_back(server.port());
        clients.back().send(get("/stream"));
    }
    ASSERT_TRUE(eventually([&] { return server->counts().streams == 300; }));
    server->stop(10s, "enough");
    for (RawClient& client : clients) ASSERT_THAT(client.rest(), HasSubstr("event: bye"));
}

}  // namespace
}  // namespace holdfast::http::testing
