#include "base/name.h"

#include "base/text.h"

namespace holdfast {

namespace {

/// The character at the front of valid UTF-8, and how many bytes it has.
struct Character {
    unsigned code = 0;
    std::size_t length = 1;
};

Character front_of(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned lead = byte(0);
    if (lead < 0x80) return {lead, 1};
    const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    unsigned code = lead & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) code = code << 6U | (byte(i) & 0x3FU);
    return {code, length};
}

bool is_control(unsigned code) {
    return code < 0x20 || (code >= 0x7F && code <= 0x9F);
}

/// Embeddings, overrides and isolates of the bidirectional algorithm.
bool changes_direction(unsigned code) {
    return (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

std::string unicode_name(unsigned code) {
    constexpr std::string_view upper_digits = "0123456789ABCDEF";
    std::string name = "U+";
    for (int shift = 12; shift >= 0; shift -= 4) name += upper_digits[code >> static_cast<unsigned>(shift) & 0xFU];
    return name;
}

}  // namespace

std::optional<std::string> name_defect(std::string_view text) {
    if (auto defect = text_defect(text)) return defect;
    for (std::size_t offset = 0; offset < text.size();) {
        const Character character = front_of(text.substr(offset));
        if (is_control(character.code))
            return concat("contains the control character ", unicode_name(character.code), " at offset ", offset);
        if (changes_direction(character.code))
            return concat("contains ", unicode_name(character.code),
                          ", which changes the direction of text, at offset ", offset);
        offset += character.length;
    }
    return std::nullopt;
}

}  // namespace holdfast
