#include "base/text.h"

#include <gmock/gmock.h>

namespace holdfast {
namespace {

using testing::HasSubstr;

std::string utf8(unsigned code) {
    const auto tail = [&](unsigned shift) { return static_cast<char>(0x80U | (code >> shift & 0x3FU)); };
    if (code < 0x80) return {static_cast<char>(code)};
    if (code < 0x800) return {static_cast<char>(0xC0U | code >> 6U), tail(0)};
    if (code < 0x10000) return {static_cast<char>(0xE0U | code >> 12U), tail(6), tail(0)};
    return {static_cast<char>(0xF0U | code >> 18U), tail(12), tail(6), tail(0)};
}

TEST(Name, MayHaveEveryCharacterButControlsAndThoseThatChangeTheDirection) {
    for (unsigned code = 0; code <= 0x10FFFF; ++code) {
        if (code >= 0xD800 && code <= 0xDFFF) continue;  // not characters
        const bool is_bad = code < 0x20 || (code >= 0x7F && code <= 0x9F) || (code >= 0x202A && code <= 0x202E) ||
                            (code >= 0x2066 && code <= 0x2069);
        ASSERT_EQ(name_defect("a" + utf8(code) + "b").has_value(), is_bad) << std::hex << code;
    }
}

TEST(Name, DefectSaysWhichCharacterAndWhere) {
    EXPECT_EQ(name_defect("mail\x1b[2J"), "contains the control character U+001B at offset 4");
    EXPECT_EQ(name_defect("\xC3\xA4\xC2\x9b"), "contains the control character U+009B at offset 2");
    EXPECT_THAT(name_defect("gpj.\xE2\x80\xAEtxt").value(), HasSubstr("U+202E, which changes the direction"));
    EXPECT_THAT(name_defect("a\xFF").value(), HasSubstr("not valid UTF-8"));
    EXPECT_EQ(name_defect(""), std::nullopt);
}

}  // namespace
}  // namespace holdfast
