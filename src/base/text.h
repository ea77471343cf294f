#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/time.h"

namespace holdfast {

/// An argument of concat as text: a string, a character or a number. Refers to the string that it is made of.
class Piece {
public:
    Piece(std::string_view text) : text_(text) {}    // NOLINT(google-explicit-constructor): concat converts
    Piece(const std::string& text) : text_(text) {}  // NOLINT(google-explicit-constructor)
    Piece(const char* text) : text_(text) {}         // NOLINT(google-explicit-constructor)
    Piece(char letter) : digits_{letter}, text_(digits_.data(), 1) {}  // NOLINT(google-explicit-constructor)
    template <std::signed_integral Number>
    Piece(Number number) {  // NOLINT(google-explicit-constructor)
        write(static_cast<std::int64_t>(number));
    }
    template <std::unsigned_integral Number>
    Piece(Number number) {  // NOLINT(google-explicit-constructor)
        write(static_cast<std::uint64_t>(number));
    }
    Piece(double number);  // NOLINT(google-explicit-constructor): six significant digits
    Piece(const Piece&) = delete;
    Piece& operator=(const Piece&) = delete;
    ~Piece() = default;

    [[nodiscard]] std::string_view text() const { return text_; }

private:
    void write(std::int64_t number);
    void write(std::uint64_t number);

    std::array<char, 24> digits_;
    std::string_view text_;
};

[[nodiscard]] std::string concat_pieces(std::initializer_list<Piece> pieces);

/// Its arguments one after the other as a string.
template <typename... Parts>
[[nodiscard]] std::string concat(const Parts&... parts) {
    return concat_pieces({parts...});
}

[[nodiscard]] std::string join(const std::vector<std::string>& parts, std::string_view separator);

/// The parts between separators; a text without one is a single part. They refer to `text`.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

/// Without blanks and line ends at its ends. Refers to `text`.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// The text as one line: control characters become spaces.
[[nodiscard]] std::string one_line(std::string_view text);

/// Turns A to Z into a to z and leaves all other characters as they are.
[[nodiscard]] std::string lower_case(std::string_view text);

/// Why a text cannot be stored: "contains a NUL byte at offset 3", "is not valid UTF-8 at offset 7";
/// nullopt when it can. The same rule for every store.
[[nodiscard]] std::optional<std::string> text_defect(std::string_view text);

/// The longest name of a task, queue, tag, worker or key that a store takes.
inline constexpr std::size_t max_name_bytes = 255;

/// Why a text cannot be a name: not UTF-8, a NUL byte, a control character (C0, DEL, C1), or a character that changes
/// the direction of the text around it. Names are printed and logged; these could make one look like another. nullopt
/// when it can.
[[nodiscard]] std::optional<std::string> name_defect(std::string_view text);

/// The text with every character escaped that would control a terminal instead of being shown: control characters
/// as "\x1b", DEL, the C1 controls and those that reorder text as "\u202e", bytes that are not UTF-8 as "\xe9".
/// Newlines and tabs stay. JSON stays JSON with the same meaning.
[[nodiscard]] std::string visible_text(std::string_view text);
/// The same for one line: newlines and tabs are escaped too.
[[nodiscard]] std::string visible_line(std::string_view text);

/// The candidate that a misspelt word was most likely meant to be; nullopt when none is near.
[[nodiscard]] std::optional<std::string> nearest_word(std::string_view word,
                                                      const std::vector<std::string>& candidates);

/// "2026-11-15T08:30:00.123456Z"; the fraction is left out when zero, and trimmed to milliseconds when it fits.
/// A time outside the years 0 to 9999 is written as the nearest one inside.
[[nodiscard]] std::string format_timestamp(Timestamp at);
/// RFC 3339 with "Z" or an offset, or a date with a space instead of "T"; nullopt when it is neither. The offset may
/// lack its minutes ("+01", as PostgreSQL prints it). Digits beyond microseconds are dropped.
[[nodiscard]] std::optional<Timestamp> parse_timestamp(std::string_view text);

/// "1h30m", "30s", "1.5s", "250ms", "0s": exact, and read back by parse_duration unless negative.
[[nodiscard]] std::string format_duration(Duration length);
/// "30s", "5m", "1h30m", "1.5s", "2d", "250ms"; a plain number counts in `plain_unit`. Units stand from the longest
/// to the shortest (d, h, m, s, ms, us), each once. nullopt when it is neither, negative, too long to represent, or
/// finer than a microsecond.
[[nodiscard]] std::optional<Duration> parse_duration(std::string_view text, Duration plain_unit);

/// "postgresql://user:***@host/db": the URL or libpq keyword string with every password masked.
[[nodiscard]] std::string mask_password(std::string_view url);

}  // namespace holdfast
