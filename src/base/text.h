#pragma once

#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/time.h"

namespace holdfast {

/// Writes its arguments one after the other into a string.
template <typename... Parts>
[[nodiscard]] std::string concat(const Parts&... parts) {
    std::ostringstream out;
    (out << ... << parts);
    return out.str();
}

[[nodiscard]] std::string join(const std::vector<std::string>& parts, std::string_view separator);

/// A to Z as a to z; whatever else stands in it stays as it is.
[[nodiscard]] std::string lower_case(std::string_view text);

/// Why a text cannot be stored: "contains a NUL byte at offset 3", "is not valid UTF-8 at offset 7";
/// nullopt when it can. The same rule for every store.
[[nodiscard]] std::optional<std::string> text_defect(std::string_view text);

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
