#include "base/utf8.h"

#include <algorithm>

#include "base/text.h"

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

std::size_t character_length(std::string_view bytes) {
    if (bytes.empty()) return 0;
    const std::size_t length = expected_length(bytes.front());
    if (length <= 1) return length;
    if (length > bytes.size() || text_defect(bytes.substr(0, length))) return 0;
    return length;
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
