#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/result.h"
#include "holdfast/time.h"

namespace holdfast::core {

/// The wall-clock time of an unspecified zone.
using LocalTime = std::chrono::local_time<Duration>;

/// The range of years that crons, zones and schedules support.
inline constexpr std::chrono::year first_year(1);
inline constexpr std::chrono::year last_year(9999);

/// The range of instants that zones and schedules support; an instant outside counts as the nearest one inside.
inline constexpr Timestamp first_instant = std::chrono::sys_days(first_year / 1 / 1);
inline constexpr Timestamp last_instant =
    std::chrono::sys_days(last_year / 12 / 31) + std::chrono::days(1) - Duration(1);

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

/// The offset of a place's clocks from UTC at any instant.
class TimeZone {
public:
    [[nodiscard]] static TimeZone utc() { return {}; }

    /// Parses a zone file (TZif of version 2 or later, RFC 8536). The error describes the fault of the file.
    [[nodiscard]] static Result<TimeZone, std::string> parse(std::string_view bytes);

    /// A period with a constant offset: from `begin` until just before `end`.
    struct Period {
        std::chrono::seconds offset{};  ///< added to UTC to get local time
        Timestamp begin = Timestamp::min();
        Timestamp end = Timestamp::max();
    };
    [[nodiscard]] Period period_at(Timestamp at) const;

    /// The time that the clocks show at an instant.
    [[nodiscard]] LocalTime local(Timestamp at) const;

    /// Returns all instants at which the clocks show this time, in order: none in a gap, two when the clocks are set
    /// back over it.
    [[nodiscard]] std::vector<Timestamp> instants_of(LocalTime time) const;

    /// Returns the first instant at which the clocks show this time or a later one; for a time in a gap, the end of
    /// the gap.
    [[nodiscard]] Timestamp first_reaching(LocalTime time) const;

private:
    friend class TimeZoneFile;

    struct Change {
        std::chrono::sys_seconds at{};
        std::chrono::seconds offset{};
    };
    using YearlyChanges = std::array<Change, 6>;

    [[nodiscard]] YearlyChanges changes_by_rule(std::chrono::year year) const;
    [[nodiscard]] Period period_of_table(Timestamp at) const;
    [[nodiscard]] Period period_by_rule(Timestamp at) const;
    [[nodiscard]] std::vector<Period> periods_around(LocalTime time) const;

    std::chrono::seconds first_offset_{};    // before all changes
    std::vector<Change> changes_ = {};       // in order
    std::optional<TimeZoneRule> rule_ = {};  // in force after the last change
};

}  // namespace holdfast::core
