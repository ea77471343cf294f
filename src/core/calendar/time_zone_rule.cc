#include "core/calendar/time_zone_rule.h"

#include <algorithm>

namespace holdfast::core {

namespace {

using namespace std::chrono_literals;
using std::chrono::days;
using std::chrono::local_days;
using std::chrono::seconds;

constexpr unsigned most_hours_of_offset = 24;
constexpr unsigned most_hours_of_time = 167;

/// Consumes a rule from its front; every `take` returns whether it found the expected part.
class Reader {
public:
    explicit Reader(std::string_view text) : rest_(text) {}

    [[nodiscard]] bool at_end() const { return rest_.empty(); }
    [[nodiscard]] bool is_next(char character) const { return rest_.starts_with(character); }

    bool take(char character) {
        if (!is_next(character)) return false;
        rest_.remove_prefix(1);
        return true;
    }

    /// "CET", or "<+0330>".
    bool take_name() {
        const bool is_bracketed = take('<');
        const std::size_t length = count_of(is_bracketed ? letters_and_more : letters_and_more.substr(0, 52));
        rest_.remove_prefix(length);
        return length >= 3 && (!is_bracketed || take('>'));
    }

    bool take_number(unsigned least, unsigned most, unsigned& value) {
        const std::size_t length = count_of("0123456789");
        if (length == 0 || length > 3) return false;
        value = 0;
        for (const char digit : rest_.substr(0, length)) value = value * 10 + static_cast<unsigned>(digit - '0');
        rest_.remove_prefix(length);
        return value >= least && value <= most;
    }

    /// "-1", "+5:30", "3:30:15".
    bool take_time(unsigned most_hours, seconds& time) {
        const bool is_negative = take('-');
        if (!is_negative) take('+');
        unsigned hour = 0, minute = 0, second = 0;
        if (!take_number(0, most_hours, hour)) return false;
        if (take(':') && !take_number(0, 59, minute)) return false;
        if (take(':') && !take_number(0, 59, second)) return false;
        time = hour * 1h + minute * 1min + second * 1s;
        if (is_negative) time = -time;
        return true;
    }

private:
    static constexpr std::string_view letters_and_more =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-";

    [[nodiscard]] std::size_t count_of(std::string_view characters) const {
        return std::min(rest_.find_first_not_of(characters), rest_.size());
    }

    std::string_view rest_;
};

/// A rule counts west of Greenwich as positive, so the sign is inverted.
bool read_offset(Reader& reader, seconds& offset) {
    if (!reader.take_time(most_hours_of_offset, offset)) return false;
    offset = -offset;
    return true;
}

bool read_day(Reader& reader, YearlyChange& change) {
    using Day = YearlyChange::Day;
    if (reader.take('M')) {
        change.kind = Day::OfWeekInMonth;
        return reader.take_number(1, 12, change.month) && reader.take('.') && reader.take_number(1, 5, change.week) &&
               reader.take('.') && reader.take_number(0, 6, change.day);
    }
    const bool skips_leap_day = reader.take('J');
    change.kind = skips_leap_day ? Day::OfYearWithoutLeapDay : Day::OfYear;
    return reader.take_number(skips_leap_day ? 1 : 0, 365, change.day);
}

bool read_change(Reader& reader, YearlyChange& change) {
    change.time = 2h;
    return reader.take(',') && read_day(reader, change) &&
           (!reader.take('/') || reader.take_time(most_hours_of_time, change.time));
}

bool read_summer(Reader& reader, seconds standard_offset, SummerTime& summer) {
    summer.offset = standard_offset + 1h;
    return reader.take_name() && (reader.is_next(',') || read_offset(reader, summer.offset)) &&
           read_change(reader, summer.begin) && read_change(reader, summer.end);
}

local_days weekday_in_month(const YearlyChange& change, std::chrono::year year) {
    const std::chrono::weekday weekday(change.day);
    const auto month = year / static_cast<int>(change.month);
    if (change.week == 5) return local_days(month / weekday[std::chrono::last]);
    return local_days(month / weekday[change.week]);
}

local_days day_of(const YearlyChange& change, std::chrono::year year) {
    const local_days new_year(year / 1 / 1);
    switch (change.kind) {
        case YearlyChange::Day::OfYearWithoutLeapDay: {
            constexpr unsigned first_of_march = 60;
            return new_year + days(change.day - (year.is_leap() && change.day >= first_of_march ? 0 : 1));
        }
        case YearlyChange::Day::OfYear:
            return new_year + days(change.day);
        case YearlyChange::Day::OfWeekInMonth:
            break;
    }
    return weekday_in_month(change, year);
}

}  // namespace

std::chrono::local_seconds YearlyChange::in(std::chrono::year year) const {
    return day_of(*this, year) + time;
}

std::optional<TimeZoneRule> TimeZoneRule::parse(std::string_view text) {
    Reader reader(text);
    TimeZoneRule rule;
    if (!reader.take_name() || !read_offset(reader, rule.offset)) return std::nullopt;
    if (reader.at_end()) return rule;
    if (!read_summer(reader, rule.offset, rule.summer.emplace()) || !reader.at_end()) return std::nullopt;
    return rule;
}

}  // namespace holdfast::core
