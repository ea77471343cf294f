#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/calendar/local_time.h"
#include "holdfast/result.h"

namespace holdfast::core {

/// A pattern of minutes on a calendar: "30 2 * * MON-FRI". Five fields (minute, hour, day of month, month, day of
/// week), each
/// `*`, a value, a range `a-b`, a step `*/n` or `a-b/n`, or a list of these; names JAN to DEC and SUN to SAT in any
/// letter case; 0 and 7 are Sunday. Or @hourly, @daily, @weekly, @monthly, @yearly. As in crontab(5), a day matches
/// when either of its two fields does, unless one of these begins with `*`: then both must.
class Cron {
public:
    /// The error is one sentence that names the field and what is allowed. A date that never comes (30 February) is
    /// an error.
    [[nodiscard]] static Result<Cron, std::string> parse(std::string_view text);

    /// As it was given to parse.
    [[nodiscard]] const std::string& text() const { return text_; }

    /// The first matching minute that does not begin before `from`; nullopt when that is after the year 9999. Times
    /// before the year 1 count as its beginning.
    [[nodiscard]] std::optional<LocalTime> next(LocalTime from) const;

    /// Whether its hour field matches every hour, so that it names minutes and not times of the day.
    [[nodiscard]] bool is_every_hour() const;

    /// The shortest time between two matches on one day, or from one day to the next.
    [[nodiscard]] std::chrono::minutes shortest_distance() const;

    friend bool operator==(const Cron&, const Cron&) = default;

private:
    using Set = std::uint64_t;  // bit n: the value n is in it

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
