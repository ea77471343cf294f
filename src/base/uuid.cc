#include "holdfast/uuid.h"

namespace holdfast {

namespace {

constexpr std::string_view digits = "0123456789abcdef";

constexpr bool is_dash_position(std::size_t i) {
    return i == 8 || i == 13 || i == 18 || i == 23;
}

std::optional<unsigned> digit_value(char digit) {
    const char lower = digit >= 'A' && digit <= 'F' ? static_cast<char>(digit - 'A' + 'a') : digit;
    const std::size_t value = digits.find(lower);
    if (value == std::string_view::npos) return std::nullopt;
    return static_cast<unsigned>(value);
}

}  // namespace

std::optional<Uuid> Uuid::parse(std::string_view text) {
    if (text.size() != 36) return std::nullopt;
    Bytes bytes{};
    std::size_t nibble = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (is_dash_position(i)) {
            if (text[i] != '-') return std::nullopt;
            continue;
        }
        const auto value = digit_value(text[i]);
        if (!value) return std::nullopt;
        std::uint8_t& byte = bytes[nibble / 2];
        byte = static_cast<std::uint8_t>((unsigned{byte} << 4) | *value);
        ++nibble;
    }
    return Uuid(bytes);
}

std::string Uuid::to_string() const {
    std::string text;
    text.reserve(36);
    for (const std::uint8_t byte : bytes_) {
        if (is_dash_position(text.size())) text += '-';
        text += digits[byte >> 4];
        text += digits[byte & 0x0F];
    }
    return text;
}

std::int64_t Uuid::unix_milliseconds() const {
    std::int64_t milliseconds = 0;
    for (std::size_t i = 0; i < 6; ++i) milliseconds = milliseconds << 8 | bytes_[i];
    return milliseconds;
}

}  // namespace holdfast
