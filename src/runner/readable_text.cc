#include "runner/readable_text.h"

#include <algorithm>

#include "base/text.h"

namespace holdfast::runner {

namespace {

/// Of the character that begins with this byte; 0 when none does.
std::size_t length_of_character(char first) {
    const auto byte = static_cast<unsigned char>(first);
    if (byte < 0x80) return 1;
    if (byte >= 0xc2 && byte <= 0xdf) return 2;
    if (byte >= 0xe0 && byte <= 0xef) return 3;
    if (byte >= 0xf0 && byte <= 0xf4) return 4;
    return 0;
}

/// Of the valid character at the beginning; 0 when there is none.
std::size_t valid_character(std::string_view bytes) {
    const std::size_t length = length_of_character(bytes.front());
    if (length == 1) return bytes.front() == '\0' ? 0 : 1;
    if (length == 0 || length > bytes.size() || text_defect(bytes.substr(0, length))) return 0;
    return length;
}

void append_escaped(std::string& text, char byte) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    const auto value = static_cast<unsigned char>(byte);
    text += "\\x";
    text += digits[value >> 4];
    text += digits[value & 15];
}

}  // namespace

std::string readable_text(std::string_view bytes) {
    if (!text_defect(bytes)) return std::string(bytes);
    std::string text;
    while (!bytes.empty()) {
        const std::size_t length = valid_character(bytes);
        if (length == 0) append_escaped(text, bytes.front());
        text.append(bytes.substr(0, length));
        bytes.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return text;
}

std::size_t unfinished_character(std::string_view bytes) {
    for (std::size_t back = 1; back <= std::min<std::size_t>(3, bytes.size()); ++back) {
        const char byte = bytes[bytes.size() - back];
        if ((static_cast<unsigned char>(byte) & 0xc0) == 0x80) continue;  // in the middle of one
        return length_of_character(byte) > back ? back : 0;
    }
    return 0;
}

}  // namespace holdfast::runner
