#include "base/text.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

using namespace std::string_literals;

TEST(LowerCase, TouchesTheLettersOfTheAlphabetAndNothingElse) {
    EXPECT_EQ(lower_case("AbZ-09_[@`{ é"), "abz-09_[@`{ é");
    EXPECT_EQ(lower_case("ÀÉ"s + '\0' + "X"), "ÀÉ"s + '\0' + "x");
    EXPECT_EQ(lower_case(""), "");
}

TEST(TextDefect, AcceptsEveryLengthOfSequenceUpToTheLastCodePoint) {
    for (const std::string& text :
         {""s, "plain"s, "\x7F"s, "\xC2\x80"s, "\xDF\xBF"s, "\xE0\xA0\x80"s, "\xED\x9F\xBF"s, "\xEE\x80\x80"s,
          "\xEF\xBF\xBF"s, "\xF0\x90\x80\x80"s, "\xF4\x8F\xBF\xBF"s, "Grüße, 世界 🦀"s})
        EXPECT_EQ(text_defect(text), std::nullopt) << text;
}

TEST(TextDefect, NamesTheNulByteAndItsOffset) {
    EXPECT_EQ(text_defect("\0"s), "contains a NUL byte at offset 0");
    EXPECT_EQ(text_defect("ab\xC3\xBC\0c"s), "contains a NUL byte at offset 4");
}

struct BadText {
    const char* what;
    std::string text;
    std::size_t offset;
};

TEST(TextDefect, RefusesEveryKindOfBrokenSequenceWhereItBegins) {
    const BadText bad[] = {
        {"lone continuation", "a\x80", 1},
        {"overlong slash in two bytes", "\xC0\xAF", 0},
        {"overlong NUL", "ok\xC0\x80", 2},
        {"overlong in two bytes, highest", "\xC1\xBF", 0},
        {"overlong in three bytes", "\xE0\x9F\xBF", 0},
        {"overlong in four bytes", "\xF0\x8F\xBF\xBF", 0},
        {"first surrogate", "\xED\xA0\x80", 0},
        {"last surrogate", "\xED\xBF\xBF", 0},
        {"beyond U+10FFFF", "\xF4\x90\x80\x80", 0},
        {"five-byte lead", "\xF8\x88\x80\x80\x80", 0},
        {"byte that never occurs", "abc\xFF", 3},
        {"truncated two bytes", "\xC3", 0},
        {"truncated three bytes", "x\xE2\x82", 1},
        {"truncated four bytes", "\xF0\x9F\xA6", 0},
        {"cut by ASCII", "\xE2\x82z", 0},
        {"cut by another lead", "\xE2\xC3\xBC", 0},
        {"Latin-1", "Gr\xFC\xDF", 2},
    };
    for (const BadText& b : bad)
        EXPECT_EQ(text_defect(b.text), concat("is not valid UTF-8 at offset ", b.offset)) << b.what;
}

/// The bits of a code point, spread as UTF-8 spreads them, whether or not it is one that may be encoded.
std::string encode(std::uint32_t point) {
    const auto byte = [](std::uint32_t value) { return std::string(1, static_cast<char>(value)); };
    const auto low = [&](std::uint32_t value) { return byte(0x80 | (value & 0x3F)); };
    if (point < 0x80) return byte(point);
    if (point < 0x800) return byte(0xC0 | point >> 6) + low(point);
    if (point < 0x10000) return byte(0xE0 | point >> 12) + low(point >> 6) + low(point);
    return byte(0xF0 | point >> 18) + low(point >> 12) + low(point >> 6) + low(point);
}

TEST(TextDefect, JudgesEveryCodePointAsUnicodeDoes) {
    for (std::uint32_t point = 1; point < 0x120000; ++point) {
        const bool is_surrogate = point >= 0xD800 && point <= 0xDFFF;
        const bool is_character = !is_surrogate && point <= 0x10FFFF;
        ASSERT_EQ(!text_defect(encode(point)), is_character) << std::hex << point;
    }
}

TEST(TextDefect, JudgesEveryPairOfBytesAsUnicodeDoes) {
    const auto is_one_byte = [](int byte) { return byte >= 1 && byte <= 0x7F; };
    for (int first = 0; first < 256; ++first)
        for (int second = 0; second < 256; ++second) {
            const std::string text{static_cast<char>(first), static_cast<char>(second)};
            const bool two_characters = is_one_byte(first) && is_one_byte(second);
            const bool one_character = first >= 0xC2 && first <= 0xDF && second >= 0x80 && second <= 0xBF;
            ASSERT_EQ(!text_defect(text), two_characters || one_character) << first << " " << second;
        }
}

const std::vector<std::string> keys{"claimed_stale_threshold_ms", "running_stale_threshold_ms", "check_interval_ms",
                                    "queue", "tags"};

TEST(NearestWord, FindsWhatATypoMeant) {
    EXPECT_EQ(nearest_word("claimed_stale_treshold_ms", keys), "claimed_stale_threshold_ms");
    EXPECT_EQ(nearest_word("check_intreval_ms", keys), "check_interval_ms");
    EXPECT_EQ(nearest_word("Queue", keys), "queue");
    EXPECT_EQ(nearest_word("queues", keys), "queue");
    EXPECT_EQ(nearest_word("tgas", keys), "tags");
    EXPECT_EQ(nearest_word("tag", keys), "tags");
}

TEST(NearestWord, SuggestsNothingWhenNothingIsNear) {
    EXPECT_EQ(nearest_word("", keys), std::nullopt);
    EXPECT_EQ(nearest_word("x", {"y", "z"}), std::nullopt);
    EXPECT_EQ(nearest_word("heartbeat_timeout_secs", keys), std::nullopt);
    EXPECT_EQ(nearest_word("queue", {}), std::nullopt);
}

TEST(NearestWord, PrefersTheNearerAndThenTheFirst) {
    EXPECT_EQ(nearest_word("stops", {"stoop", "stop"}), "stop");
    EXPECT_EQ(nearest_word("cat", {"bat", "hat"}), "bat");
}

TEST(Join, PutsTheSeparatorBetweenOnly) {
    EXPECT_EQ(join({}, ", "), "");
    EXPECT_EQ(join({"a"}, ", "), "a");
    EXPECT_EQ(join({"a", "", "c"}, ", "), "a, , c");
}

}  // namespace
}  // namespace holdfast
