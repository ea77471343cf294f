#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace holdfast::core {

/// The date and time of a yearly change between standard and summer time, as a POSIX TZ rule expresses it.
struct YearlyChange {
    enum class Day {
        OfYearWithoutLeapDay,  ///< Jn: n from 1 to 365; 29 February is not counted
        OfYear,                ///< n from 0 to 365; 29 February is counted
        OfWeekInMonth,         ///< Mm.w.d: the w-th day d (Sunday is 0) of the month m; w = 5 for the last
    };
    Day kind = Day::OfYear;
    unsigned day = 0;
    unsigned week = 0;
    unsigned month = 0;
    std::chrono::seconds time{};  ///< after midnight; may be negative, or more than a day

    /// The local time of the change in a year, on the clocks that are in force until then.
    [[nodiscard]] std::chrono::local_seconds in(std::chrono::year year) const;
};

struct SummerTime {
    std::chrono::seconds offset{};  ///< east of Greenwich is positive
    YearlyChange begin = {};
    YearlyChange end = {};
};

/// A POSIX TZ rule with the extensions of RFC 8536, as at the end of zone files: "CET-1CEST,M3.5.0,M10.5.0/3".
struct TimeZoneRule {
    std::chrono::seconds offset{};  ///< of standard time; east of Greenwich is positive
    std::optional<SummerTime> summer = {};

    /// Parses a rule; nullopt when the text is not a rule, or names a summer time without its dates.
    [[nodiscard]] static std::optional<TimeZoneRule> parse(std::string_view text);
};

}  // namespace holdfast::core
