#include "server/http/message_reader.h"

#include <gmock/gmock.h>

#include "base/text.h"

namespace holdfast::http {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using State = RequestReader::State;

/// A reader, and what it has not used of what it was given.
struct Reading {
    explicit Reading(Limits given = {}) : limits(given) {}

    Reading& give(std::string_view bytes) {
        rest += bytes;
        rest.erase(0, reader.feed(rest));
        return *this;
    }

    Limits limits;
    RequestReader reader{limits};
    std::string rest;
};

int status_of(const std::string& bytes, Limits limits = {}) {
    Reading reading(limits);
    reading.give(bytes);
    return reading.reader.state() == State::Refused ? reading.reader.problem().status : 0;
}

std::string head(const std::string& lines) {
    return concat("POST /a HTTP/1.1\r\nHost: h\r\n", lines, "\r\n");
}

TEST(RequestReader, ReadsARequestWithItsHeaders) {
    Reading reading;
    reading.give("GET /a/b?c=d HTTP/1.1\r\nHOST: h\r\nX-Thing:  two words \r\n\r\n");
    ASSERT_EQ(reading.reader.state(), State::Complete);
    EXPECT_TRUE(reading.reader.keeps_alive());
    const Request request = reading.reader.take();
    EXPECT_EQ(request.method, "GET");
    EXPECT_THAT(request.path, ElementsAre("a", "b"));
    EXPECT_THAT(request.headers, ElementsAre(Pair("host", "h"), Pair("x-thing", "two words")));
    EXPECT_EQ(request.header("x-thing"), "two words");
    EXPECT_EQ(request.header("x-none"), "");
    EXPECT_EQ(request.parameter("c"), "d");
    EXPECT_EQ(request.parameter("none"), std::nullopt);
}

TEST(RequestReader, ItDoesNotMatterHowTheBytesAreCut) {
    const std::string plain = concat(head("Content-Length: 5\r\n"), "hello", "next");
    const std::string chunked = concat(head("Transfer-Encoding: chunked\r\n"),
                                       "2\r\nhe\r\n3;ext=1\r\nllo\r\n0\r\nTrailer: x\r\n\r\n", "next");
    for (const std::string& bytes : {plain, chunked})
        for (std::size_t step = 1; step <= bytes.size(); ++step) {
            Reading reading;
            for (std::size_t at = 0; at < bytes.size(); at += step)
                if (reading.reader.state() == State::Complete)
                    reading.rest += bytes.substr(at, step);
                else
                    reading.give(bytes.substr(at, step));
            ASSERT_EQ(reading.reader.state(), State::Complete) << step;
            ASSERT_EQ(reading.reader.take().body, "hello") << step;
            ASSERT_EQ(reading.rest, "next") << step;
        }
}

TEST(RequestReader, ABodyThatLooksLikeALastChunkIsNotWaitedFor) {
    Reading reading;
    reading.give(head("Content-Length: 3\r\n"));
    reading.give("0\r\n");
    ASSERT_EQ(reading.reader.state(), State::Complete);
    EXPECT_EQ(reading.reader.take().body, "0\r\n");
}

TEST(RequestReader, TrailersAreNotHeaders) {
    Reading reading;
    reading.give(head("Transfer-Encoding: chunked\r\n") + "0\r\nAuthorization: Bearer x\r\n\r\n");
    ASSERT_EQ(reading.reader.state(), State::Complete);
    EXPECT_EQ(reading.reader.take().header("authorization"), "");
}

TEST(RequestReader, EmptyLinesBeforeARequestAreOverlooked) {
    Reading reading;
    reading.give("\r").give("\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_EQ(reading.reader.state(), State::Complete);
}

TEST(RequestReader, AMillionEmptyLinesAreOverlookedToo) {
    std::string lines;
    for (int count = 0; count < 1'000'000; ++count) lines += "\r\n";
    Reading reading;
    reading.give(lines);
    EXPECT_EQ(reading.reader.state(), State::Head);
    EXPECT_EQ(reading.rest, "");
}

TEST(RequestReader, WhatIsNotHttpIsRefused) {
    for (const char* bytes : {"\x16\x03\x01\x02\x01 hello\r\n\r\n", "GET\r\n\r\n", "GET /\r\n\r\n",
                              "GET / HTTP/9.9\r\nHost: h\r\n\r\n", "GET / HTTP/1.2\r\nHost: h\r\n\r\n",
                              "GET / FTP/1.1\r\nHost: h\r\n\r\n", "GET  / HTTP/1.1\r\nHost: h\r\n\r\n",
                              "G\xc3\xbcT / HTTP/1.1\r\nHost: h\r\n\r\n", " GET / HTTP/1.1\r\nHost: h\r\n\r\n",
                              "GET / HTTP/1.1\r\nHost h\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\n: x\r\n\r\n",
                              "GET / HTTP/1.1\r\nHost : h\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\nA B: c\r\n\r\n",
                              "GET / HTTP/1.1\r\nHost: h\r\nA: b\x01\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"})
        EXPECT_EQ(status_of(bytes), 400) << bytes;
}

TEST(RequestReader, LinesMustEndProperly) {
    EXPECT_EQ(status_of("GET / HTTP/1.1\nHost: h\n\n"), 400);
    EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: h\nX: y\r\n\r\n"), 400);
    EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: h\rX: y\r\n\r\n"), 400);
    EXPECT_EQ(status_of("\n"), 400);
    EXPECT_EQ(status_of(std::string("GET / HTTP/1.1\r\nHost: h\0\r\n\r\n", 28)), 400);
}

TEST(RequestReader, FoldedLinesAreRefused) {
    EXPECT_EQ(status_of(head("X: a\r\n b\r\n")), 400);
    EXPECT_EQ(status_of(head("X: a\r\n\tb\r\n")), 400);
    EXPECT_EQ(status_of("GET / HTTP/1.1\r\n Host: h\r\n\r\n"), 400);
    EXPECT_EQ(status_of(head("Transfer-Encoding:\r\n chunked\r\n")), 400);
}

TEST(RequestReader, HostMustBeThereOnce) {
    EXPECT_EQ(status_of("GET / HTTP/1.1\r\n\r\n"), 400);
    EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"), 400);
    EXPECT_EQ(status_of("GET / HTTP/1.0\r\n\r\n"), 0);
}

TEST(RequestReader, LengthsThatTwoReadersCouldUnderstandDifferentlyAreRefused) {
    for (const char* lines :
         {"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
          "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", "Content-Length: 3\r\nContent-Length: 3\r\n",
          "Content-Length: 3\r\nContent-Length: 4\r\n", "Content-Length: 3, 3\r\n", "Content-Length: +3\r\n",
          "Content-Length: -1\r\n", "Content-Length: 0x3\r\n", "Content-Length: 3 3\r\n", "Content-Length: \r\n",
          "Content-Length: 99999999999999999999\r\n", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
          "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: chunked, chunked\r\n",
          "Transfer-Encoding: xchunked\r\n", "Transfer-Encoding: identity\r\n", "Transfer-Encoding: \r\n",
          "Transfer-Encoding : chunked\r\n"})
        EXPECT_EQ(status_of(head(lines) + "3\r\nabc\r\n0\r\n\r\n"), 400) << lines;
    EXPECT_EQ(status_of("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400);
}

TEST(RequestReader, BrokenChunksAreRefused) {
    for (const char* body : {"x\r\n", "-1\r\n", "0x2\r\nab\r\n0\r\n\r\n", "2\r\nabc\r\n0\r\n\r\n", "\r\n\r\n",
                             "ffffffffffffffffff\r\n", "2 \r\nab\r\n0\r\n\r\n", "+2\r\nab\r\n0\r\n\r\n"})
        EXPECT_EQ(status_of(head("Transfer-Encoding: chunked\r\n") + body), 400) << body;
}

TEST(RequestReader, ChunksThatEndWithBareLineFeedsNeverCompleteABody) {
    Reading reading;
    reading.give(head("Transfer-Encoding: chunked\r\n") + "2\nab\n0\n\n");
    EXPECT_NE(reading.reader.state(), State::Complete);
    EXPECT_EQ(reading.reader.take().body, "");
}

TEST(RequestReader, ChunkHeadersHaveALimit) {
    EXPECT_EQ(status_of(head("Transfer-Encoding: chunked\r\n") + "1;" + std::string(10'000, 'e')), 400);
    EXPECT_EQ(status_of(head("Transfer-Encoding: chunked\r\n") + "0\r\nT: " + std::string(10'000, 'e')), 400);
}

TEST(RequestReader, BodyBeyondTheLimitIsRefusedAsSoonAsThatIsKnown) {
    const Limits limits = {.max_body_bytes = 10};
    EXPECT_EQ(status_of(head("Content-Length: 11\r\n"), limits), 413);
    EXPECT_EQ(status_of(head("Content-Length: 10\r\n") + "0123456789", limits), 0);
    const std::string chunked = head("Transfer-Encoding: chunked\r\n");
    EXPECT_EQ(status_of(chunked + "6\r\n012345\r\n5\r\n67890", limits), 413);
    EXPECT_EQ(status_of(chunked + "6\r\n012345\r\n4\r\n6789\r\n0\r\n\r\n", limits), 0);
    EXPECT_EQ(status_of(chunked + "ffffffff\r\n", limits), 413);
}

TEST(RequestReader, HeaderBeyondTheLimitIsRefusedAsSoonAsThatIsKnown) {
    const Limits limits = {.max_header_bytes = 200, .max_target_bytes = 50};
    EXPECT_EQ(status_of(concat("GET / HTTP/1.1\r\nX: ", std::string(200, 'x')), limits), 431);
    EXPECT_EQ(status_of(concat("GET / HTTP/1.1\r\nHost: h\r\nX: ", std::string(200, 'x'), "\r\n\r\n"), limits), 431);
    EXPECT_EQ(status_of(concat("GET /", std::string(200, 'x')), limits), 414);
    EXPECT_EQ(status_of(concat("GET /", std::string(50, 'x'), " HTTP/1.1\r\nHost: h\r\n\r\n"), limits), 414);
    EXPECT_EQ(status_of(concat("GET /", std::string(49, 'x'), " HTTP/1.1\r\nHost: h\r\n\r\n"), limits), 0);
    std::string many;
    for (int count = 0; count < 101; ++count) many += "A: b\r\n";
    EXPECT_EQ(status_of(head(many)), 431);
}

TEST(RequestReader, OtherExpectationsCannotBeMet) {
    EXPECT_EQ(status_of(head("Content-Length: 1\r\nExpect: 200-ok\r\n")), 417);
    Reading reading;
    reading.give(head("Content-Length: 1\r\nExpect: 100-Continue\r\n"));
    EXPECT_TRUE(reading.reader.wants_continue());
}

TEST(RequestReader, HeadersThatMeanWhoAsksComeOnce) {
    EXPECT_EQ(status_of(head("Authorization: Bearer a\r\nAuthorization: Bearer b\r\n")), 400);
    EXPECT_EQ(status_of(head("Content-Type: a/b\r\nContent-Type: c/d\r\n")), 400);
    EXPECT_EQ(status_of(head("X-Any: a\r\nX-Any: b\r\nContent-Length: 0\r\n")), 0);
}

TEST(RequestReader, HeadersMustBeUtf8) {
    EXPECT_EQ(status_of(head("X: caf\xe9\r\nContent-Length: 0\r\n")), 400);
    EXPECT_EQ(status_of(head("X: café\r\nContent-Length: 0\r\n")), 0);
}

TEST(RequestReader, ProblemsSayWhatIsWrong) {
    Reading reading;
    reading.give(head("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n"));
    EXPECT_EQ(reading.reader.problem().code, "BAD_REQUEST");
    Reading path;
    path.give("GET /a//b HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_THAT(path.reader.problem().detail, HasSubstr("empty segment"));
}

TEST(RequestReader, KnowsWhetherTheConnectionStays) {
    const auto keeps = [](std::string_view bytes) {
        Reading reading;
        reading.give(bytes);
        return reading.reader.keeps_alive();
    };
    EXPECT_TRUE(keeps("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
    EXPECT_FALSE(keeps("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"));
    EXPECT_FALSE(keeps("GET / HTTP/1.1\r\nHost: h\r\nConnection: x, Close\r\n\r\n"));
    EXPECT_FALSE(keeps("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
}

}  // namespace
}  // namespace holdfast::http
