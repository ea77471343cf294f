#include "base/visible_text.h"

#include <algorithm>

#include "base/utf8.h"

namespace holdfast {

namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

bool is_plain_ascii(char c) {
    return c >= ' ' && c < '\x7f';
}

void append_hex(std::string& text, std::string_view prefix, char32_t code, int width) {
    text += prefix;
    while (width-- > 0) text += hex_digits[code >> (4 * width) & 0xf];
}

void append_visible(std::string& shown, std::string_view character) {
    const char32_t code = code_point(character);
    if (code < 0x20)
        append_hex(shown, "\\x", code, 2);
    else if (is_control(code) || changes_direction(code))
        append_hex(shown, "\\u", code, 4);
    else
        shown += character;
}

std::string spelled_out(std::string_view text, std::string_view kept) {
    std::string shown;
    shown.reserve(text.size());
    while (!text.empty()) {
        const auto stays = [&](char c) { return is_plain_ascii(c) || kept.find(c) != std::string_view::npos; };
        const auto plain = static_cast<std::size_t>(std::ranges::find_if_not(text, stays) - text.begin());
        shown += text.substr(0, plain);
        text.remove_prefix(plain);
        if (text.empty()) break;
        const std::size_t length = character_length(text);
        if (length == 0)
            append_hex(shown, "\\x", static_cast<unsigned char>(text.front()), 2);
        else
            append_visible(shown, text.substr(0, length));
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return shown;
}

}  // namespace

std::string visible_text(std::string_view text) {
    return spelled_out(text, "\n\t");
}

std::string visible_line(std::string_view text) {
    return spelled_out(text, "");
}

}  // namespace holdfast
