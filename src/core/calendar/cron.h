#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/calendar/time_zone.h"
#include "holdfast/result.h"

namespace holdfast::core {

/// A pattern of minutes on a calendar: "30 2 * * MON-FRI". It has five fields: minute, hour, day of month, month, day
/// of week. Each is `*`, a value, a range `a-b`, a step `*/n` or `a-b/n`, or a list of these. Names JAN to DEC and
/// SUN to SAT are allowed in any letter case; 0 and 7 are Sunday. The shortcuts are @hourly, @daily, @weekly,
/// @monthly and @yearly. As in crontab(5), a day matches when either of its two fields does; when one of the two
/// begins with `*`, both must match.
class Cron {
public:
    /// Parses a cron. The error is one sentence that names the field and the allowed values. A date that never occurs
    /// (30 February) is an error.
    [[nodiscard]] static Result<Cron, std::string> parse(std::string_view text);

    /// The text that was passed to parse.
    [[nodiscard]] const std::string& text() const { return text_; }

    /// Returns the first matching minute that does not begin before `from`; nullopt when it is after the year 9999.
    /// Times before the year 1 count as its beginning.
    [[nodiscard]] std::optional<LocalTime> next(LocalTime from) const;

    /// Whether the hour field matches every hour. Such a cron names minutes of the hour instead of times of the day.
    [[nodiscard]] bool is_every_hour() const;

    /// The shortest duration between two matches, within one day or across midnight.
    [[nodiscard]] std::chrono::minutes shortest_distance() const;

    friend bool operator==(const Cron&, const Cron&) = default;

private:
    using Set = std::uint64_t;  // bit n: the set contains the value n

    [[nodiscard]] Set days_in(std::chrono::year_month month) const;
    [[nodiscard]] std::optional<std::chrono::local_days> next_day(std::chrono::local_days from) const;
    [[nodiscard]] std::optional<std::chrono::minutes> next_minute(std::chrono::minutes from) const;

    std::string text_ = {};
    Set minutes_ = 0;
    Set hours_ = 0;
    Set days_of_month_ = 0;
    Set months_ = 0;
    Set days_of_week_ = 0;
    bool needs_both_days_ = false;
};

}  // namespace holdfast::core
