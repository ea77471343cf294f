#include <gmock/gmock.h>

#include <algorithm>

#include "tests/http/test_server.h"

namespace holdfast::http::testing {
namespace {

using ::testing::HasSubstr;

/// So many requests that wait at the gate, each on a connection of its own.
std::vector<RawClient> hang(TestServer& server, const std::string& target, std::size_t count) {
    std::vector<RawClient> clients;
    for (std::size_t i = 0; i < count; ++i) {
        clients.emplace_back(server.port());
        clients.back().send(get(target));
    }
    return clients;
}

Limits two_and_one() {
    Limits limits;
    limits.workers = 2;
    limits.dear_workers = 1;
    limits.max_dear_waiting = 2;
    return limits;
}

TEST(Lanes, ProbesAreAnsweredWhileEveryOtherThreadHangs) {
    TestServer server(two_and_one());
    const auto usual = hang(server, "/gate", 5), dear = hang(server, "/dear/gate", 3);
    server.gate.await_arrivals(3);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(ask(server.port(), get("/probe/echo")).status, 200);
    EXPECT_GE(server->counts().waiting, 2U) << "the others still wait";
}

TEST(Lanes, UsualRequestsAreAnsweredWhileDearOnesHangAndTheOtherWayRound) {
    TestServer server(two_and_one());
    auto dear = hang(server, "/dear/gate", 1);
    server.gate.await_arrivals(1);
    EXPECT_EQ(ask(server.port(), get("/echo")).status, 200);
    server.gate.open();
    EXPECT_EQ(dear.front().answer().status, 200);

    TestServer other(two_and_one());
    const auto usual = hang(other, "/gate", 2);
    other.gate.await_arrivals(2);
    EXPECT_EQ(ask(other.port(), get("/dear/echo")).status, 200);
}

TEST(Lanes, DearRequestsBeyondTheLineAreToldToComeBackLater) {
    TestServer server(two_and_one());
    auto dear = hang(server, "/dear/gate", 3);
    server.gate.await_arrivals(1);
    ASSERT_TRUE(eventually([&] { return server->counts().waiting == 2; }));
    const RawAnswer refused = ask(server.port(), get("/dear/echo"));
    EXPECT_EQ(refused.status, 503);
    EXPECT_EQ(refused.headers.at("retry-after"), "5");
    EXPECT_THAT(refused.body, HasSubstr("costly"));
    EXPECT_EQ(ask(server.port(), get("/echo")).status, 200);
    server.gate.open();
    for (RawClient& client : dear) EXPECT_EQ(client.answer().status, 200);
}

TEST(Lanes, WhatIsInMemoryIsAnsweredWhileEveryOtherThreadHangs) {
    TestServer server(two_and_one());
    const auto usual = hang(server, "/gate", 5), dear = hang(server, "/dear/gate", 3);
    server.gate.await_arrivals(3);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(ask(server.port(), get("/memory/echo")).status, 200);
}

Limits that_are_soon_stuck() {
    Limits limits = two_and_one();
    limits.stuck_after = std::chrono::milliseconds(200);
    limits.requests_per_second_per_peer = limits.burst_per_peer = 1e9;
    return limits;
}

TEST(Lanes, RequestsThatWaitBehindThreadsThatHangAreToldToComeBack) {
    TestServer server(that_are_soon_stuck());
    auto clients = hang(server, "/gate", 2);
    server.gate.await_arrivals(2);
    auto waiting = hang(server, "/echo", 3);
    for (RawClient& client : waiting) {
        const RawAnswer refused = client.answer();
        EXPECT_EQ(refused.status, 503);
        EXPECT_EQ(refused.headers.at("retry-after"), "2");
        EXPECT_THAT(refused.body, HasSubstr("OVERLOADED"));
    }
    server.gate.open();
    for (RawClient& client : clients) EXPECT_EQ(client.answer().status, 200);
    EXPECT_EQ(std::ranges::count(server.answered(), "GET 200"), 2) << "a request that was refused is not carried out";
}

TEST(Lanes, ANewRequestToThreadsThatHangIsRefusedAtOnceUntilOneIsFree) {
    TestServer server(that_are_soon_stuck());
    auto clients = hang(server, "/gate", 2);
    server.gate.await_arrivals(2);
    ASSERT_EQ(ask(server.port(), get("/echo")).status, 503);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(ask(server.port(), get("/echo")).status, 503);
    EXPECT_LE(server->counts().waiting, 1U) << "they do not queue";
    EXPECT_EQ(ask(server.port(), get("/dear/echo")).status, 200) << "the other lanes go on";
    server.gate.open();
    for (RawClient& client : clients) EXPECT_EQ(client.answer().status, 200);
    EXPECT_TRUE(eventually([&] { return ask(server.port(), get("/echo")).status == 200; }));
}

TEST(Lanes, OneThreadThatGetsDoneKeepsALaneFromBeingStuck) {
    TestServer server(that_are_soon_stuck());
    const auto one = hang(server, "/gate", 1);
    server.gate.await_arrivals(1);
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(600);
    while (std::chrono::steady_clock::now() < until) EXPECT_EQ(ask(server.port(), get("/echo")).status, 200);
}

TEST(Lanes, ProbesPassTheLimitOfRequestsASecond) {
    Limits limits;
    limits.requests_per_second_per_peer = 0.001;
    limits.burst_per_peer = 1;
    TestServer server(limits);
    EXPECT_EQ(ask(server.port(), get("/echo")).status, 200);
    EXPECT_EQ(ask(server.port(), get("/echo")).status, 429);
    EXPECT_EQ(ask(server.port(), get("/probe/echo")).status, 200);
}

TEST(Lanes, ProbesPassTheLimitOfConnections) {
    Limits limits;
    limits.max_connections = 1;
    TestServer server(limits);
    RawClient only(server.port());
    only.send(get("/echo"));
    EXPECT_EQ(only.answer().status, 200);
    EXPECT_EQ(ask(server.port(), get("/echo")).status, 503);
    EXPECT_EQ(ask(server.port(), get("/probe/echo")).status, 200);
}

}  // namespace
}  // namespace holdfast::http::testing
