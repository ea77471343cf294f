#include "server/http/answer.h"

#include <gmock/gmock.h>
#include <zlib.h>

namespace holdfast::http {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Request asked_with(std::vector<std::pair<std::string, std::string>> headers) {
    Request request;
    request.method = "GET";
    request.headers = std::move(headers);
    return request;
}

std::string gunzip(const std::string& packed) {
    z_stream stream = {};
    inflateInit2(&stream, 15 + 16);
    std::string text(1 << 20, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(text.data());
    stream.avail_out = static_cast<uInt>(text.size());
    const int rc = inflate(&stream, Z_FINISH);
    text.resize(rc == Z_STREAM_END ? stream.total_out : 0);
    inflateEnd(&stream);
    return text;
}

TEST(Compression, LargeTextIsCompressedForClientsThatAcceptIt) {
    const std::string text(5000, 'x');
    const Answer answer = to_answer({.body = text}, asked_with({{"accept-encoding", "br, gzip"}}), {});
    EXPECT_THAT(answer.head, HasSubstr("Content-Encoding: gzip\r\n"));
    EXPECT_THAT(answer.head, HasSubstr("Vary: Accept-Encoding\r\n"));
    EXPECT_LT(answer.payload().size(), 100U);
    EXPECT_EQ(gunzip(answer.body), text);
}

TEST(Compression, OthersGetItAsItIs) {
    const std::string text(5000, 'x');
    const Answer refused = to_answer({.body = text}, asked_with({{"accept-encoding", "gzip;q=0"}}), {});
    EXPECT_EQ(refused.payload(), text);
    EXPECT_THAT(refused.head, HasSubstr("Vary: Accept-Encoding\r\n")) << "a cache must know that it could differ";
    const Request accepting = asked_with({{"accept-encoding", "gzip"}});
    EXPECT_EQ(to_answer({.body = "small"}, accepting, {}).payload(), "small");
    EXPECT_EQ(to_answer({.content_type = "image/png", .body = text}, accepting, {}).payload(), text);
    EXPECT_EQ(to_answer({.headers = {{"content-encoding", "br"}}, .body = text}, accepting, {}).payload(), text);
}

TEST(Compression, EmbeddedBytesAreCompressedToo) {
    static const std::string page(5000, 'p');
    const Response response = {.content_type = "text/html; charset=utf-8", .embedded = page};
    EXPECT_EQ(gunzip(to_answer(response, asked_with({{"accept-encoding", "gzip"}}), {}).body), page);
    EXPECT_EQ(to_answer(response, asked_with({}), {}).payload(), page);
}

TEST(Compression, AcceptEncodingIsReadWithItsWeights) {
    for (const char* header : {"gzip", "GZIP", "br, gzip", "gzip;q=0.5", "gzip ; q=1", "deflate,gzip;q=0.001"})
        EXPECT_TRUE(accepts_encoding(header, "gzip")) << header;
    for (const char* header : {"", "br", "gzip;q=0", "gzip; q=0.000", "xgzip", "gzipx", ",,"})
        EXPECT_FALSE(accepts_encoding(header, "gzip")) << header;
    for (const char* header : {"gzip, deflate, br", "br;q=0.5,gzip"})
        EXPECT_TRUE(accepts_encoding(header, "br")) << header;
    for (const char* header : {"gzip", "br; q=0, gzip", "br;q=0.000", "brotli"})
        EXPECT_FALSE(accepts_encoding(header, "br")) << header;
}

TEST(Tags, AreComparedWeaklyInLists) {
    EXPECT_TRUE(names_tag(R"("a", W/"b")", R"(W/"b")"));
    EXPECT_TRUE(names_tag(R"("b")", R"(W/"b")"));
    EXPECT_TRUE(names_tag("*", R"(W/"b")"));
    EXPECT_FALSE(names_tag(R"("a")", R"(W/"b")"));
    EXPECT_FALSE(names_tag("", R"(W/"b")"));
}

TEST(Tags, AreGivenToAnswersOfGetThatSucceededOnly) {
    Request request = asked_with({});
    EXPECT_THAT(to_answer({.body = "{}"}, request, {}).head, HasSubstr("ETag: W/"));
    EXPECT_THAT(to_answer({.status = 404, .body = "{}"}, request, {}).head, Not(HasSubstr("ETag")));
    request.method = "POST";
    EXPECT_THAT(to_answer({.body = "{}"}, request, {}).head, Not(HasSubstr("ETag")));
}

TEST(Tags, HandlersOwnTagIsKept) {
    const Request request = asked_with({{"if-none-match", "\"mine\""}});
    const Answer answer = to_answer({.headers = {{"etag", "\"mine\""}}, .body = "{}"}, request, {});
    EXPECT_EQ(answer.status, 304);
    EXPECT_EQ(answer.payload(), "");
    EXPECT_THAT(answer.head, Not(HasSubstr("W/")));
}

TEST(Tags, DifferForDifferentContents) {
    const Request request = asked_with({});
    EXPECT_NE(to_answer({.body = "{\"a\":1}"}, request, {}).head, to_answer({.body = "{\"a\":2}"}, request, {}).head);
}

TEST(AnswerHeaders, BrowsersAreToldToComeBackOverTlsOnlyWhereItIsOn) {
    EXPECT_THAT(to_answer({.body = "{}"}, {.secure = true}).head, HasSubstr("Strict-Transport-Security: max-age="));
    EXPECT_THAT(to_answer({.body = "{}"}, {.secure = false}).head, Not(HasSubstr("Strict-Transport-Security")));
}

TEST(StreamText, MessageIsWrittenAsItsLines) {
    EXPECT_EQ(to_stream_text({{.event = "log", .id = "7", .data = "{}"}, {.data = "x"}}),
              "event: log\nid: 7\ndata: {}\n\ndata: x\n\n");
    EXPECT_EQ(to_stream_text({}), "");
}

TEST(StreamText, LineBreaksCannotForgeMessages) {
    EXPECT_EQ(to_stream_text({{.event = "a\nb", .data = "x\n\ndata: y\r\n"}}), "event: a b\ndata: x  data: y  \n\n");
}

}  // namespace
}  // namespace holdfast::http
