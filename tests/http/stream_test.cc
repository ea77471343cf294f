#include <gmock/gmock.h>

#include "base/text.h"
#include "tests/http/test_server.h"

namespace holdfast::http::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

RawClient open_stream(TestServer& server) {
    RawClient client(server.port());
    client.send(get("/stream", "Accept: text/event-stream\r\n"));
    const RawAnswer head = client.answer();
    EXPECT_EQ(head.status, 200);
    EXPECT_EQ(head.headers.at("content-type"), "text/event-stream");
    EXPECT_EQ(head.headers.at("cache-control"), "no-store");
    EXPECT_EQ(head.headers.at("x-stream"), "yes");
    return client;
}

TEST(Streams, MessagesArriveAsTheyCome) {
    TestServer server;
    server.source->push({.event = "hello", .data = "{}"});
    RawClient client = open_stream(server);
    EXPECT_EQ(client.read_until("\n\n"), "event: hello\ndata: {}\n\n");
    server.source->push({.event = "event", .id = "1", .data = "{\"a\":1}"});
    EXPECT_EQ(client.read_until("\n\n"), "event: event\nid: 1\ndata: {\"a\":1}\n\n");
    EXPECT_EQ(server->counts().streams, 1U);
}

TEST(Streams, EndedSourceClosesAfterItsLastMessages) {
    TestServer server;
    RawClient client = open_stream(server);
    server.source->push({.data = "last"});
    server.source->end();
    EXPECT_EQ(client.rest(), "data: last\n\n");
    EXPECT_TRUE(eventually([&] { return server->counts().streams == 0 && server->counts().connections == 0; }));
}

TEST(Streams, IdleStreamShowsThatItLives) {
    TestServer server({.header_timeout = 1s, .idle_timeout = 50ms, .write_timeout = 50ms, .stream_beat = 500ms});
    RawClient client = open_stream(server);
    for (int beat = 0; beat < 3; ++beat) EXPECT_EQ(client.read_until("\n\n"), ": beat\n\n");
    server.source->push({.data = "x"});
    EXPECT_THAT(client.read_until("data: x\n\n"), HasSubstr("data: x"));
}

TEST(Streams, ClientThatGoesIsNoticedAtOnce) {
    TestServer server({.stream_beat = 1h});
    {
        const RawClient client = open_stream(server);
        ASSERT_TRUE(eventually([&] { return server->counts().streams == 1; }));
    }
    EXPECT_TRUE(eventually([&] { return server->counts().streams == 0; }));
    server.source->wake();  // a source may go on for longer than its stream
}

TEST(Streams, SlowClientIsNotBufferedForAndGivenUpInTheEnd) {
    TestServer server({.write_timeout = 300ms});
    RawClient client(server.port());
    client.shrink_receive_buffer();
    client.send(get("/stream"));
    ASSERT_TRUE(eventually([&] { return server->counts().streams == 1; }));
    const std::string much(8 << 20, 'x');
    server.source->push({.data = much});
    server.source->push({.data = much});
    ASSERT_TRUE(eventually([&] { return server->counts().streams == 0; }));
    EXPECT_LE(server.source->takes(), 4U) << "asked again although nothing could be sent";
}

TEST(Streams, ThousandWakeUpsBeforeTheLoopLooksAreOne) {
    TestServer server;
    RawClient client = open_stream(server);
    ASSERT_TRUE(eventually([&] { return server.source->takes() > 0; }));
    const std::size_t before = server.source->takes();
    for (int count = 0; count < 100'000; ++count) server.source->wake();
    server.source->push({.data = "x"});
    client.read_until("data: x\n\n");
    EXPECT_LT(server.source->takes() - before, 100'000U);
}

TEST(Streams, ChatterOfTheClientIsIgnoredUntilItIsTooMuch) {
    TestServer server;
    RawClient client = open_stream(server);
    client.send(get("/echo"));
    server.source->push({.data = "x"});
    EXPECT_EQ(client.read_until("\n\n"), "data: x\n\n") << "a request behind a stream is not answered";
    client.send(std::string(1 << 20, 'x'));
    EXPECT_TRUE(eventually([&] { return server->counts().streams == 0; }));
}

TEST(Streams, HeadOfAStreamOpensNone) {
    TestServer server;
    RawClient client(server.port());
    client.send("HEAD /stream HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_EQ(client.answer(false).headers.at("content-type"), "text/event-stream");
    EXPECT_EQ(server->counts().streams, 0U);
}

TEST(Deferred, AnswerComesWhenItIsThereAndNoThreadWaitsForIt) {
    TestServer server({.workers = 1});
    RawClient client(server.port());
    client.send(get("/later"));
    EXPECT_EQ(ask(server.port(), get("/echo")).status, 200) << "the only worker thread is free";
    server.deferred->complete({.body = "{\"late\":true}"});
    EXPECT_EQ(client.answer().body, "{\"late\":true}");
    client.send(get("/echo"));
    EXPECT_EQ(client.answer().status, 200) << "the connection goes on";
    EXPECT_FALSE(server.deferred->abandoned());
}

TEST(Deferred, AnswerThatIsThereAlreadyIsSentAtOnce) {
    TestServer server;
    server.deferred->complete({.status = 201, .body = "{}"});
    EXPECT_EQ(ask(server.port(), get("/later")).status, 201);
}

TEST(Deferred, NoTimeoutOfTheConnectionEndsTheWait) {
    TestServer server({.header_timeout = 1s, .body_timeout = 50ms, .idle_timeout = 50ms, .write_timeout = 50ms});
    RawClient client(server.port());
    client.send(get("/later"));
    EXPECT_FALSE(client.is_closed_within(1200ms));
    server.deferred->complete({.body = "{}"});
    EXPECT_EQ(client.answer().status, 200);
}

TEST(Deferred, RequestSentMeanwhileIsAnsweredAfterIt) {
    TestServer server;
    RawClient client(server.port());
    client.send(get("/later"));
    client.send(get("/echo"));
    server.deferred->complete({.status = 201, .body = "{}"});
    EXPECT_EQ(client.answer().status, 201);
    EXPECT_EQ(client.answer().status, 200);
}

TEST(Deferred, ClientThatGoesIsNoticedAtOnce) {
    TestServer server;
    {
        RawClient client(server.port());
        client.send(get("/later"));
        ASSERT_TRUE(eventually([&] { return server->counts().connections == 1; }));
    }
    EXPECT_TRUE(eventually([&] { return server.deferred->abandoned(); }));
    server.deferred->complete({});
    EXPECT_TRUE(eventually([&] { return server->counts().connections == 0; }));
}

TEST(Deferred, StopAnswersWaitingClients) {
    TestServer server;
    RawClient client(server.port());
    client.send(get("/later"));
    ASSERT_EQ(ask(server.port(), get("/echo")).status, 200);
    server->stop(10s);
    const RawAnswer answer = client.answer();
    EXPECT_EQ(answer.status, 503);
    EXPECT_EQ(answer.headers.at("connection"), "close");
    EXPECT_TRUE(server.deferred->abandoned());
}

}  // namespace
}  // namespace holdfast::http::testing
