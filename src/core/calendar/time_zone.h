#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/calendar/local_time.h"
#include "core/calendar/time_zone_rule.h"
#include "holdfast/result.h"

namespace holdfast::core {

/// The range of instants that zones and schedules support; an instant outside counts as the nearest one inside.
inline constexpr Timestamp first_instant = std::chrono::sys_days(first_year / 1 / 1);
inline constexpr Timestamp last_instant =
    std::chrono::sys_days(last_year / 12 / 31) + std::chrono::days(1) - Duration(1);

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
