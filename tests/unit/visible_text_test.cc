
#include <gmock/gmock.h>
#include <rapidcheck.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/utf8.h"

namespace holdfast {
namespace {

std::string utf8(char32_t code) {
    if (code < 0x80) return {static_cast<char>(code)};
    if (code < 0x800) return {static_cast<char>(0xc0 | code >> 6), static_cast<char>(0x80 | (code & 0x3f))};
    return {static_cast<char>(0xe0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 0x3f)),
            static_cast<char>(0x80 | (code & 0x3f))};
}

TEST(VisibleText, SpellsOutExactlyWhatATerminalActsUpon) {
    for (char32_t code = 0; code < 0x10000; ++code) {
        if (code >= 0xd800 && code < 0xe000) continue;  // not characters
        const bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0);
        const bool reorders = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
        const bool is_layout = code == '\n' || code == '\t';
        EXPECT_EQ(visible_text(utf8(code)) == utf8(code), (!is_control && !reorders) || is_layout)
            << static_cast<unsigned>(code);
        EXPECT_EQ(visible_line(utf8(code)) == utf8(code), !is_control && !reorders) << static_cast<unsigned>(code);
    }
}

TEST(VisibleText, ShowsWhatWasThere) {
    EXPECT_EQ(visible_text("a\x1b]0;title\x07 b\r\n\tc"), "a\\x1b]0;title\\x07 b\\x0d\n\tc");
    EXPECT_EQ(visible_line("row\nforged\trow"), "row\\x0aforged\\x09row");
    EXPECT_EQ(visible_text("\x7f \xc2\x9b \xe2\x80\xae \xe2\x81\xa6"), "\\u007f \\u009b \\u202e \\u2066");
    EXPECT_EQ(visible_text(std::string_view("a\0b", 3)), "a\\x00b");
    EXPECT_EQ(visible_text("caf\xe9 \xff \xed\xa0\x80 \xe2\x82"), "caf\\xe9 \\xff \\xed\\xa0\\x80 \\xe2\\x82");
    EXPECT_EQ(visible_text("ü € 😀 \\ \""), "ü € 😀 \\ \"");
    EXPECT_EQ(visible_text(""), "");
}

TEST(VisibleText, OfJsonIsTheSameJson) {
    rc::check([](const std::vector<char16_t>& codes) {
        std::string text;
        for (const char16_t code : codes)
            if (code < 0xd800 || code > 0xdfff) text += utf8(code);
        const nlohmann::json value = {{"text", text + "\x7f\xc2\x85\xe2\x80\xae"}};
        RC_ASSERT(nlohmann::json::parse(visible_text(value.dump())) == value);
    });
}

TEST(VisibleText, OfAnyBytesIsTextAndStaysAsItIs) {
    rc::check([](const std::string& bytes) {
        const std::string shown = visible_line(bytes);
        RC_ASSERT(!text_defect(shown));
        RC_ASSERT(visible_line(shown) == shown);
    });
}

TEST(CharacterLength, IsThatOfAValidCharacter) {
    EXPECT_EQ(character_length(""), 0U);
    EXPECT_EQ(character_length(std::string_view("\0", 1)), 1U);
    EXPECT_EQ(character_length("é!"), 2U);
    EXPECT_EQ(character_length("€"), 3U);
    EXPECT_EQ(character_length("😀"), 4U);
    for (const char* bad : {"\xc3", "\xc3(", "\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xc0\x80"})
        EXPECT_EQ(character_length(bad), 0U);
}

}  // namespace
}  // namespace holdfast
