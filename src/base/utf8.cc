#include "base/utf8.h"

#include <algorithm>

namespace holdfast {

namespace {

/// Of the character that begins with this byte; 0 when none does.
std::size_t expected_length(char first) {
    const auto byte = static_cast<unsigned char>(first);
    if (byte < 0x80) return 1;
    if (byte >= 0xc2 && byte <= 0xdf) return 2;
    if (byte >= 0xe0 && byte <= 0xef) return 3;
    if (byte >= 0xf0 && byte <= 0xf4) return 4;
    return 0;
}

}  // namespace

/// The bounds of the second byte are those of the Unicode standard's table 3-7: they exclude overlong forms,
/// surrogates, and what lies beyond U+10FFFF.
std::size_t character_length(std::string_view bytes) {
    const auto byte = [&](std::size_t i) { return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U; };
    const auto continues = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
        return byte(i) >= low && byte(i) <= high;
    };
    if (bytes.empty()) return 0;
    const unsigned lead = byte(0);
    const std::size_t length = expected_length(bytes.front());
    if (length == 2) return continues(1) ? 2 : 0;
    if (length == 3) {
        const bool second = continues(1, lead == 0xE0 ? 0xA0 : 0x80, lead == 0xED ? 0x9F : 0xBF);
        return second && continues(2) ? 3 : 0;
    }
    if (length == 4) {
        const bool second = continues(1, lead == 0xF0 ? 0x90 : 0x80, lead == 0xF4 ? 0x8F : 0xBF);
        return second && continues(2) && continues(3) ? 4 : 0;
    }
    return length;
}

char32_t code_point(std::string_view character) {
    const auto first = static_cast<unsigned char>(character.front());
    char32_t code = character.size() == 1 ? first : first & (0x7FU >> character.size());
    for (const char next : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(next) & 0x3FU);
    return code;
}

bool is_control(char32_t code) {
    return code < 0x20 || (code >= 0x7F && code <= 0x9F);
}

bool changes_direction(char32_t code) {
    return (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

std::size_t unfinished_character(std::string_view bytes) {
    for (std::size_t back = 1; back <= std::min<std::size_t>(3, bytes.size()); ++back) {
        const char byte = bytes[bytes.size() - back];
        if ((static_cast<unsigned char>(byte) & 0xc0) == 0x80) continue;  // in the middle of one
        return expected_length(byte) > back ? back : 0;
    }
    return 0;
}

}  // namespace holdfast
