#include "server/http/target.h"

#include <gmock/gmock.h>

#include "base/text.h"

namespace holdfast::http {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

Request accepted(std::string_view text) {
    Request request;
    EXPECT_EQ(read_target(text, request), std::nullopt) << text;
    return request;
}

std::string defect_of(std::string_view text) {
    Request request;
    const std::string defect = read_target(text, request).value_or("");
    EXPECT_TRUE(request.path.empty() && request.query.empty()) << text;
    return defect;
}

TEST(TargetPath, RootHasNoSegments) {
    EXPECT_THAT(accepted("/").path, IsEmpty());
    EXPECT_THAT(accepted("/?a=1").path, IsEmpty());
}

TEST(TargetPath, SegmentsAreDecodedEachForItself) {
    EXPECT_THAT(accepted("/api/tasks/a%20b").path, ElementsAre("api", "tasks", "a b"));
    EXPECT_THAT(accepted("/%C3%BC/ü").path, ElementsAre("ü", "ü"));
    EXPECT_THAT(accepted("/a+b").path, ElementsAre("a+b")) << "a plus is a space in queries only";
}

TEST(TargetPath, EncodedSlashStaysInsideItsSegment) {
    EXPECT_THAT(accepted("/a%2Fb/c%2f..%2fd").path, ElementsAre("a/b", "c/../d"));
}

TEST(TargetPath, DotsAreAcceptedWithinNamesOnly) {
    EXPECT_THAT(accepted("/.well-known/a..b/...").path, ElementsAre(".well-known", "a..b", "..."));
    for (const char* text : {"/.", "/..", "/a/../b", "/a/./b", "/%2e%2e/b", "/a/%2E", "/.%2e/etc/passwd", "/a/.."})
        EXPECT_THAT(defect_of(text), HasSubstr(". or ..")) << text;
}

TEST(TargetPath, EmptySegmentsAreRefused) {
    for (const char* text : {"//", "//a", "/a//b", "/a/", "/a/?b=1"})
        EXPECT_THAT(defect_of(text), HasSubstr("empty segment")) << text;
}

TEST(TargetPath, WhatIsNoPathIsRefused) {
    for (const char* text : {"", "*", "a", "http://host/path", "host:80", "?a=1", "\\a"})
        EXPECT_THAT(defect_of(text), HasSubstr("does not begin with a slash")) << text;
}

TEST(TargetText, BrokenEncodingIsRefused) {
    for (const char* text : {"/%", "/%1", "/%zz", "/a%2", "/?%", "/?a=%g0", "/%-1"})
        EXPECT_THAT(defect_of(text), HasSubstr("hexadecimal")) << text;
}

TEST(TargetText, NulAndWhatIsNotUtf8AreRefused) {
    EXPECT_THAT(defect_of("/a%00b"), HasSubstr("NUL"));
    EXPECT_THAT(defect_of("/?a=%00"), HasSubstr("NUL"));
    for (const char* text : {"/%ff", "/%c3", "/%c0%af", "/%ed%a0%80", "/?a=%fe", "/\xff", "/%C3%BC%80"})
        EXPECT_THAT(defect_of(text), HasSubstr("UTF-8")) << text;
}

TEST(TargetText, SpacesControlCharactersAndFragmentsAreRefused) {
    for (const char* text : {"/a b", "/a\tb", "/a\x01", "/a\x7f", "/a#b", "/?a=#"})
        EXPECT_THAT(defect_of(text), HasSubstr("control character")) << text;
}

TEST(TargetQuery, PairsAreDecoded) {
    EXPECT_THAT(accepted("/?a=1&b=x%26y&c=a+b%2B&d&e=&=f&g=h=i").query,
                ElementsAre(Pair("", "f"), Pair("a", "1"), Pair("b", "x&y"), Pair("c", "a b+"), Pair("d", ""),
                            Pair("e", ""), Pair("g", "h=i")));
    EXPECT_THAT(accepted("/?").query, IsEmpty());
    EXPECT_THAT(accepted("/?&&a=1&").query, ElementsAre(Pair("a", "1")));
    EXPECT_THAT(accepted("/?path=../../x").query, ElementsAre(Pair("path", "../../x")));
}

TEST(TargetQuery, NameThatComesTwiceIsRefusedHoweverItIsWritten) {
    for (const char* text : {"/?a=1&a=2", "/?a&a", "/?a=1&%61=1"})
        EXPECT_THAT(defect_of(text), HasSubstr("twice")) << text;
}

}  // namespace
}  // namespace holdfast::http
