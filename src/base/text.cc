#include "base/text.h"

#include <algorithm>
#include <charconv>

#include "base/utf8.h"

namespace holdfast {

namespace {

/// Insertions, deletions, replacements and swaps of neighbours, each counted as one (optimal string alignment).
std::size_t edit_distance(std::string_view left, std::string_view right) {
    std::vector<std::size_t> before_last, last(right.size() + 1), row(right.size() + 1);
    for (std::size_t j = 0; j <= right.size(); ++j) last[j] = j;
    for (std::size_t i = 1; i <= left.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= right.size(); ++j) {
            const std::size_t replaced = last[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
            const bool swapped = i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
            if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
        }
        before_last = last;
        last = row;
    }
    return last[right.size()];
}

template <typename Number>
std::string_view written(std::array<char, 24>& digits, Number number) {
    return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr};
}

/// The code in hexadecimal digits: `width` of them, taken from `digits`.
std::string hex(char32_t code, int width, std::string_view digits = "0123456789abcdef") {
    std::string text;
    while (width-- > 0) text += digits[code >> (4 * width) & 0xf];
    return text;
}

std::string unicode_name(char32_t code) {
    return concat("U+", hex(code, 4, "0123456789ABCDEF"));
}

/// One valid character, or one byte that does not begin one.
std::string spelled_out_character(std::string_view character) {
    if (character_length(character) == 0) return concat("\\x", hex(static_cast<unsigned char>(character.front()), 2));
    const char32_t code = code_point(character);
    if (code < 0x20) return concat("\\x", hex(code, 2));
    if (is_control(code) || changes_direction(code)) return concat("\\u", hex(code, 4));
    return std::string(character);
}

std::string spelled_out(std::string_view text, std::string_view kept) {
    const auto stays = [&](char c) { return (c >= ' ' && c < '\x7f') || kept.find(c) != std::string_view::npos; };
    std::string shown;
    shown.reserve(text.size());
    while (!text.empty()) {
        const auto plain = static_cast<std::size_t>(std::ranges::find_if_not(text, stays) - text.begin());
        shown += text.substr(0, plain);
        text.remove_prefix(plain);
        if (text.empty()) break;
        const std::string_view character = text.substr(0, std::max<std::size_t>(character_length(text), 1));
        shown += spelled_out_character(character);
        text.remove_prefix(character.size());
    }
    return shown;
}

}  // namespace

void Piece::write(std::int64_t number) {
    text_ = written(digits_, number);
}

void Piece::write(std::uint64_t number) {
    text_ = written(digits_, number);
}

Piece::Piece(double number) {
    const auto end =
        std::to_chars(digits_.data(), digits_.data() + digits_.size(), number, std::chars_format::general, 6);
    text_ = {digits_.data(), end.ptr};
}

std::string concat_pieces(std::initializer_list<Piece> pieces) {
    std::size_t length = 0;
    for (const Piece& piece : pieces) length += piece.text().size();
    std::string all;
    all.reserve(length);
    for (const Piece& piece : pieces) all += piece.text();
    return all;
}

std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (char& letter : lower)
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    return lower;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
    std::string joined;
    for (const std::string& part : parts) {
        if (&part != &parts.front()) joined += separator;
        joined += part;
    }
    return joined;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    return text.substr(0, text.find_last_not_of(blanks) + 1);
}

std::string one_line(std::string_view text) {
    std::string line(text);
    std::ranges::replace_if(
        line, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
    return line;
}

std::optional<std::string> text_defect(std::string_view text) {
    for (std::size_t offset = 0; offset < text.size();) {
        if (text[offset] == '\0') return concat("contains a NUL byte at offset ", offset);
        const std::size_t length = character_length(text.substr(offset));
        if (length == 0) return concat("is not valid UTF-8 at offset ", offset);
        offset += length;
    }
    return std::nullopt;
}

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

std::string visible_text(std::string_view text) {
    return spelled_out(text, "\n\t");
}

std::string visible_line(std::string_view text) {
    return spelled_out(text, "");
}

std::optional<std::string> nearest_word(std::string_view word, const std::vector<std::string>& candidates) {
    // A third of the letters wrong is a typo; more, or every letter of a short word, is another word.
    std::size_t best = std::max<std::size_t>(word.size() / 3, 1) + 1;
    std::optional<std::string> nearest;
    for (const std::string& candidate : candidates) {
        const std::size_t distance = edit_distance(lower_case(word), lower_case(candidate));
        if (distance >= best || distance >= word.size()) continue;
        best = distance;
        nearest = candidate;
    }
    return nearest;
}

}  // namespace holdfast
