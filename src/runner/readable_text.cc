#include "runner/readable_text.h"

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"

namespace holdfast::runner {

namespace {

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
        const std::size_t length = bytes.front() == '\0' ? 0 : character_length(bytes);
        if (length == 0) append_escaped(text, bytes.front());
        text.append(bytes.substr(0, length));
        bytes.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return text;
}

}  // namespace holdfast::runner
