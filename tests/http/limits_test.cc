#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "tests/http/test_server.h"

namespace holdfast::http::testing {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::Contains;

void expect_problem(const RawAnswer& answer, int status, const std::string& code) {
    EXPECT_EQ(answer.status, status);
    ASSERT_EQ(answer.headers.at("content-type"), "application/problem+json");
    const json problem = json::parse(answer.body);
    EXPECT_EQ(problem["status"], status);
    EXPECT_EQ(problem["code"], code);
    EXPECT_TRUE(problem["type"].is_string());
    EXPECT_FALSE(problem["title"].get<std::string>().empty());
    EXPECT_FALSE(problem["detail"].get<std::string>().empty());
}

TEST(ServerLimits, MalformedRequestGetsAProblemAndTheConnectionCloses) {
    TestServer server;
    for (const std::string& bytes :
         {std::string("nonsense\r\n\r\n"), get("/a/../b"), get("/%00"), get("/?a=1&a=2"),
          std::string("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n")}) {
        RawClient client(server.port());
        client.send(bytes + get("/echo"));
        expect_problem(client.answer(), 400, "BAD_REQUEST");
        EXPECT_EQ(client.rest(), "") << "what follows a malformed request is not answered: " << bytes;
    }
    EXPECT_GE(server->counts().refused, 5U);
}

TEST(ServerLimits, TooLargeBodyHeaderAndTargetAreToldApart) {
    TestServer server({.max_header_bytes = 1000, .max_body_bytes = 100, .max_target_bytes = 300});
    expect_problem(ask(server.port(), post("/echo", std::string(101, 'x'))), 413, "TOO_LARGE");
    expect_problem(ask(server.port(), get("/echo", concat("X: ", std::string(2000, 'x'), "\r\n"))), 431,
                   "HEADERS_TOO_LARGE");
    expect_problem(ask(server.port(), get("/" + std::string(400, 'x'))), 414, "TARGET_TOO_LONG");
}

TEST(ServerLimits, RefusalReachesAClientThatIsStillSending) {
    TestServer server({.max_body_bytes = 1000});
    RawClient client(server.port());
    client.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 900000\r\n\r\n");
    client.send(std::string(900'000, 'x'));
    expect_problem(client.answer(), 413, "TOO_LARGE");
}

TEST(ServerLimits, SlowHeaderIsAnsweredWith408) {
    TestServer server({.header_timeout = 200ms});
    RawClient client(server.port());
    client.send("GET / HTTP/1.1\r\nX-Slow: ");
    for (int count = 0; count < 3; ++count) {  // each byte in time, the whole not
        std::this_thread::sleep_for(100ms);
        client.send("a");
    }
    expect_problem(client.answer(), 408, "BAD_REQUEST");
    EXPECT_TRUE(client.is_closed_within());
}

TEST(ServerLimits, SlowBodyIsAnsweredWith408) {
    TestServer server({.body_timeout = 200ms});
    RawClient client(server.port());
    client.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc");
    expect_problem(client.answer(), 408, "BAD_REQUEST");
}

TEST(ServerLimits, SilentConnectionIsClosedWithoutAWord) {
    TestServer server({.header_timeout = 100ms});
    RawClient client(server.port());
    EXPECT_EQ(client.rest(), "");
    EXPECT_TRUE(eventually([&] { return server->counts().connections == 0; }));
}

TEST(ServerLimits, IdleConnectionIsClosedAfterItsTime) {
    TestServer server({.header_timeout = 10s, .idle_timeout = 200ms});
    RawClient client(server.port());
    const auto began = std::chrono::steady_clock::now();
    client.send(get("/echo"));
    EXPECT_EQ(client.answer().status, 200);
    EXPECT_TRUE(client.is_closed_within());
    EXPECT_GE(std::chrono::steady_clock::now() - began, 200ms);
}

TEST(ServerLimits, HandlerMayTakeLongerThanAnyTimeoutOfTheConnection) {
    TestServer server({.header_timeout = 1s, .body_timeout = 100ms, .idle_timeout = 100ms, .write_timeout = 100ms});
    RawClient client(server.port());
    client.send(get("/gate"));
    server.gate.await_arrivals(1);
    std::this_thread::sleep_for(1200ms);
    server.gate.open();
    EXPECT_EQ(client.answer().status, 200);
}

TEST(ServerLimits, ClientThatDoesNotReadIsGivenUp) {
    TestServer server({.write_timeout = 200ms});
    RawClient client(server.port());
    client.shrink_receive_buffer();
    client.send(get("/large?bytes=50000000"));
    ASSERT_TRUE(eventually([&] { return !server.answered().empty(); }));
    EXPECT_TRUE(eventually([&] { return server->counts().connections == 0; }));
}

TEST(ServerLimits, RequestsBeyondTheQueueAreAnsweredWith503AtOnce) {
    TestServer server({.workers = 1, .max_waiting = 2});
    std::vector<RawClient> clients;
    for (int count = 0; count < 3; ++count) {
        clients.emplace_back(server.port());
        clients.back().send(get("/gate"));
        if (count == 0) server.gate.await_arrivals(1);
    }
    ASSERT_TRUE(eventually([&] { return server->counts().waiting == 2; }));
    RawClient late(server.port());
    late.send(get("/echo"));
    const RawAnswer answer = late.answer();
    expect_problem(answer, 503, "OVERLOADED");
    EXPECT_EQ(answer.headers.at("retry-after"), "1");
    server.gate.open();
    for (RawClient& client : clients) EXPECT_EQ(client.answer().status, 200);
    late.send(get("/echo"));
    EXPECT_EQ(late.answer().status, 200) << "the same connection is heard later";
    EXPECT_THAT(server.answered(), Contains("GET 503"));
}

TEST(ServerLimits, BodiesOfAllRequestsTogetherHaveALimit) {
    TestServer server({.max_bytes_in_hand = 1'000'000});
    RawClient first(server.port());
    first.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 900000\r\n\r\n" + std::string(899'999, 'x'));
    // Each turn of the loop reads from every client that has sent something: after 50 turns the whole first body is
    // in hand.
    for (int turn = 0; turn < 50; ++turn) ASSERT_EQ(ask(server.port(), get("/echo")).status, 200);
    const auto ask_with_much = [&] { return ask(server.port(), post("/echo", std::string(200'000, 'y'))); };
    const RawAnswer refused = ask_with_much();
    expect_problem(refused, 503, "OVERLOADED");
    EXPECT_EQ(refused.headers.at("retry-after"), "1");
    EXPECT_EQ(ask(server.port(), get("/echo")).status, 200) << "a request without a body is served";
    first.send("x");
    EXPECT_EQ(first.answer().status, 200);
    EXPECT_EQ(ask_with_much().status, 200);
}

TEST(ServerLimits, ClientThatAsksTooOftenIsAnsweredWith429) {
    TestServer server({.requests_per_second_per_peer = 0.01, .burst_per_peer = 3});
    RawClient client(server.port());
    for (int count = 0; count < 3; ++count) {
        client.send(get("/echo"));
        EXPECT_EQ(client.answer().status, 200);
    }
    client.send(get("/echo"));
    const RawAnswer answer = client.answer();
    expect_problem(answer, 429, "TOO_MANY_REQUESTS");
    EXPECT_EQ(answer.headers.at("retry-after"), "100");
    expect_problem(ask(server.port(), get("/echo")), 429, "TOO_MANY_REQUESTS");
}

TEST(ServerLimits, ConnectionsBeyondTheLimitAreToldSo) {
    TestServer server({.max_connections = 2});
    RawClient first(server.port());
    RawClient second(server.port());
    ASSERT_TRUE(eventually([&] { return server->counts().connections == 2; }));
    expect_problem(ask(server.port(), get("/echo")), 503, "OVERLOADED");
    first.send(get("/echo"));
    EXPECT_EQ(first.answer().status, 200) << "open connections are served";
    first.reset();
    ASSERT_TRUE(eventually([&] { return server->counts().connections == 1; }));
    EXPECT_EQ(ask(server.port(), get("/echo")).status, 200);
}

TEST(ServerLimits, ConnectionsOfOnePeerBeyondItsLimitAreToldSo) {
    TestServer server({.max_connections_per_peer = 1});
    RawClient first(server.port());
    ASSERT_TRUE(eventually([&] { return server->counts().connections == 1; }));
    expect_problem(ask(server.port(), get("/echo")), 503, "OVERLOADED");
}

TEST(ServerLimits, ClientsThatVanishAnywhereLeaveNothingBehind) {
    TestServer server;
    for (const std::string& bytes :
         {std::string(), std::string("GET / HT"), get("/echo"), get("/large?bytes=3000000"),
          std::string("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nabc")})
        for (int count = 0; count < 20; ++count) {
            RawClient client(server.port());
            client.send(bytes);
            client.reset();
        }
    EXPECT_EQ(ask(server.port(), get("/echo")).status, 200);  // behind all others, so that they have been accepted
    EXPECT_TRUE(eventually([&] { return server->counts().connections == 0; }));
    EXPECT_EQ(server.log.text(), "");
}

TEST(ServerLimits, ManyConnectionsAtOnceAreAllServed) {
    TestServer server({.requests_per_second_per_peer = 0, .max_waiting = 500});
    std::vector<RawClient> clients;
    for (int count = 0; count < 500; ++count) clients.emplace_back(server.port());
    for (RawClient& client : clients) client.send(get("/echo"));
    for (RawClient& client : clients) ASSERT_EQ(client.answer().status, 200);
    EXPECT_EQ(server->counts().connections, 500U);
}

}  // namespace
}  // namespace holdfast::http::testing
