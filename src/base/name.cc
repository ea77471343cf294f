#include "base/name.h"

#include "base/text.h"
#include "base/utf8.h"

namespace holdfast {

namespace {

std::string unicode_name(char32_t code) {
    constexpr std::string_view upper_digits = "0123456789ABCDEF";
    std::string name = "U+";
    for (int shift = 12; shift >= 0; shift -= 4) name += upper_digits[code >> static_cast<unsigned>(shift) & 0xFU];
    return name;
}

}  // namespace

std::optional<std::string> name_defect(std::string_view text) {
    if (auto defect = text_defect(text)) return defect;
    for (std::size_t offset = 0; offset < text.size();) {
        const std::string_view character = text.substr(offset, character_length(text.substr(offset)));
        const char32_t code = code_point(character);
        if (is_control(code))
            return concat("contains the control character ", unicode_name(code), " at offset ", offset);
        if (changes_direction(code))
            return concat("contains ", unicode_name(code), ", which changes the direction of text, at offset ",
                          offset);
        offset += character.size();
    }
    return std::nullopt;
}

}  // namespace holdfast
