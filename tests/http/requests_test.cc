#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "tests/http/test_server.h"

namespace holdfast::http::testing {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Requests, GetReachesTheHandlerDecodedAndIsAnswered) {
    TestServer server;
    const RawAnswer answer = ask(server.port(), get("/echo/a%20b/c%2Fd?x=1&name=%C3%BC+e"));
    ASSERT_EQ(answer.status, 200);
    EXPECT_EQ(answer.headers.at("content-type"), "application/json");
    const json echo = json::parse(answer.body);
    EXPECT_EQ(echo["path"], json({"echo", "a b", "c/d"}));
    EXPECT_EQ(echo["query"], json({{"x", "1"}, {"name", "ü e"}}));
    EXPECT_EQ(echo["peer"], "127.0.0.1");
    EXPECT_EQ(echo["secure"], false);
}

TEST(Requests, PostBringsItsBody) {
    TestServer server;
    const RawAnswer answer = ask(server.port(), post("/echo", R"({"a": 1})"));
    ASSERT_EQ(answer.status, 200);
    EXPECT_EQ(json::parse(answer.body)["body"], R"({"a": 1})");
    EXPECT_EQ(json::parse(answer.body)["method"], "POST");
}

TEST(Requests, AnswersCarryTheHeadersThatKeepBrowsersSafe) {
    TestServer server;
    const auto headers = ask(server.port(), get("/echo")).headers;
    EXPECT_EQ(headers.at("x-content-type-options"), "nosniff");
    EXPECT_EQ(headers.at("referrer-policy"), "no-referrer");
    EXPECT_EQ(headers.at("x-frame-options"), "DENY");
    EXPECT_EQ(headers.at("cache-control"), "no-store");
    EXPECT_FALSE(headers.contains("strict-transport-security")) << "only over TLS";
    EXPECT_THAT(headers.at("date"), HasSubstr(" GMT"));
}

TEST(Requests, HandlersHeadersReplaceTheCommonOnesAndCannotAddLines) {
    TestServer server;
    const auto headers = ask(server.port(), get("/rude")).headers;
    EXPECT_EQ(headers.at("cache-control"), "max-age=60");
    EXPECT_EQ(headers.at("x-rude"), "a  X-Injected: b");
    EXPECT_FALSE(headers.contains("x-injected"));
}

TEST(Requests, ConnectionServesManyRequestsOneAfterTheOther) {
    TestServer server;
    RawClient client(server.port());
    for (int number = 0; number < 5; ++number) {
        client.send(get(concat("/echo/", number)));
        const RawAnswer answer = client.answer();
        ASSERT_EQ(answer.status, 200);
        EXPECT_EQ(json::parse(answer.body)["path"][1], std::to_string(number));
    }
    EXPECT_EQ(server->counts().connections, 1U);
}

TEST(Requests, PipelinedRequestsAreAnsweredInTheirOrder) {
    TestServer server;
    RawClient client(server.port());
    std::string requests;
    for (int number = 0; number < 20; ++number)
        requests += number % 2 == 0 ? get(concat("/echo/", number)) : post(concat("/echo/", number), "{}");
    client.send(requests);
    for (int number = 0; number < 20; ++number)
        ASSERT_EQ(json::parse(client.answer().body)["path"][1], std::to_string(number));
}

TEST(Requests, RequestMayComeByteByByte) {
    TestServer server;
    RawClient client(server.port());
    for (const char byte : post("/echo", "abc")) client.send(std::string(1, byte));
    EXPECT_EQ(json::parse(client.answer().body)["body"], "abc");
}

TEST(Requests, HeadIsAnsweredAsGetWithoutTheBody) {
    TestServer server;
    RawClient client(server.port());
    client.send("HEAD /large?bytes=5000 HTTP/1.1\r\nHost: test\r\n\r\n");
    const RawAnswer head = client.answer(false);
    EXPECT_EQ(head.status, 200);
    EXPECT_EQ(head.headers.at("content-length"), "5000");
    client.send(get("/echo"));
    EXPECT_EQ(client.answer().status, 200) << "a body came after all, and was taken for the next answer";
}

TEST(Requests, CloseIsClosedAfterTheAnswer) {
    TestServer server;
    RawClient client(server.port());
    client.send(get("/echo", "Connection: close\r\n"));
    EXPECT_EQ(client.answer().headers.at("connection"), "close");
    EXPECT_TRUE(client.is_closed_within());
}

TEST(Requests, OldVersionOfHttpIsAnsweredAndClosed) {
    TestServer server;
    RawClient client(server.port());
    client.send("GET /echo HTTP/1.0\r\n\r\n");
    EXPECT_EQ(client.answer().status, 200);
    EXPECT_TRUE(client.is_closed_within());
}

TEST(Requests, ContinueIsSaidBeforeTheBodyIsSent) {
    TestServer server;
    RawClient client(server.port());
    client.send("POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
    EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    client.send("body");
    EXPECT_EQ(json::parse(client.answer().body)["body"], "body");
}

TEST(Requests, ContinueIsNotSaidToABodyThatIsTooLarge) {
    TestServer server({.max_body_bytes = 3});
    RawClient client(server.port());
    client.send("POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
    EXPECT_EQ(client.answer().status, 413);
}

TEST(Requests, ClientThatHasFinishedSendingStillGetsItsAnswer) {
    TestServer server;
    RawClient client(server.port());
    client.send(get("/echo"));
    client.finish_sending();
    EXPECT_EQ(client.answer().status, 200);
}

TEST(Requests, LargeAnswerArrivesWhole) {
    TestServer server;
    const RawAnswer answer = ask(server.port(), get("/large?bytes=20000000"));
    EXPECT_EQ(answer.body.size(), 20'000'000U);
}

TEST(Requests, AnswerWithoutContentHasNoLength) {
    TestServer server;
    RawClient client(server.port());
    client.send(get("/empty"));
    const RawAnswer answer = client.answer();
    EXPECT_EQ(answer.status, 204);
    EXPECT_FALSE(answer.headers.contains("content-length"));
    client.send(get("/embedded"));
    EXPECT_EQ(client.answer().body, "<p>embedded</p>");
}

TEST(Requests, HandlerThatThrowsIsAnsweredWith500OfWhichOnlyTheLogKnowsMore) {
    TestServer server;
    RawClient client(server.port());
    for (const char* target : {"/throw", "/throw-strange", "/no-source"}) {
        client.send(get(target));
        const RawAnswer answer = client.answer();
        EXPECT_EQ(answer.status, 500);
        EXPECT_EQ(answer.headers.at("content-type"), "application/problem+json");
        EXPECT_EQ(json::parse(answer.body)["code"], "INTERNAL");
        EXPECT_THAT(answer.body, Not(HasSubstr("secret")));
    }
    EXPECT_THAT(server.log.text(), HasSubstr("GET /throw"));
    EXPECT_THAT(server.log.text(), HasSubstr("a secret of the server"));
    client.send(get("/echo"));
    EXPECT_EQ(client.answer().status, 200) << "the connection, and the server, go on";
}

TEST(Requests, EveryAnswerIsToldOf) {
    TestServer server;
    RawClient client(server.port());
    client.send(get("/echo") + get("/nothing") + get("/throw") + get("/a//b"));
    for (int count = 0; count < 4; ++count) client.answer();
    EXPECT_THAT(server.answered(), ElementsAre("GET 200", "GET 404", "GET 500", "GET 400"));
}

TEST(Requests, TagOfAnAnswerSavesItsBodyTheNextTime) {
    TestServer server;
    RawClient client(server.port());
    client.send(get("/large?bytes=3000"));
    const std::string tag = client.answer().headers.at("etag");
    EXPECT_TRUE(tag.starts_with("W/\"")) << tag;
    client.send(get("/large?bytes=3000", concat("If-None-Match: \"other\", ", tag, "\r\n")));
    const RawAnswer again = client.answer();
    EXPECT_EQ(again.status, 304);
    EXPECT_EQ(again.headers.at("etag"), tag);
    EXPECT_FALSE(again.headers.contains("content-length"));
    client.send(get("/large?bytes=3001", concat("If-None-Match: ", tag, "\r\n")));
    EXPECT_EQ(client.answer().status, 200) << "something else by now";
}

}  // namespace
}  // namespace holdfast::http::testing
