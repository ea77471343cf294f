#include "core/calendar/time_zone.h"

#include <algorithm>

namespace holdfast::core {

namespace {

using namespace std::chrono_literals;
using std::chrono::days;
using std::chrono::local_days;
using std::chrono::seconds;
using std::chrono::sys_seconds;

// ---- Rules -------------------------------------------------------------------------------------------------------

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

// ---- Zones -------------------------------------------------------------------------------------------------------

/// The largest offset from UTC that RFC 8536 allows; real clocks stay within it.
constexpr Duration widest_offset = 26h;

sys_seconds instant_of(const YearlyChange& change, std::chrono::year year, seconds offset_until_then) {
    return sys_seconds(change.in(year).time_since_epoch() - offset_until_then);
}

/// The nearest local time that the clocks of a zone can show within the supported years.
LocalTime within_known_years(LocalTime time) {
    return std::clamp(time, LocalTime((first_instant - widest_offset).time_since_epoch()),
                      LocalTime((last_instant + widest_offset).time_since_epoch()));
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

/// The changes of the year and of its neighbours, because a rule may move a change across New Year. Of two changes at
/// the same instant, the one to summer time comes last: a rule expresses all-year summer time in this way.
TimeZone::YearlyChanges TimeZone::changes_by_rule(std::chrono::year year) const {
    const SummerTime& summer = *rule_->summer;
    YearlyChanges changes;
    auto next = changes.begin();
    for (const auto each : {year - std::chrono::years(1), year, year + std::chrono::years(1)}) {
        *next++ = {instant_of(summer.end, each, summer.offset), rule_->offset};
        *next++ = {instant_of(summer.begin, each, rule_->offset), summer.offset};
    }
    std::ranges::stable_sort(changes, {}, &Change::at);
    return changes;
}

TimeZone::Period TimeZone::period_of_table(Timestamp at) const {
    const auto next = std::ranges::upper_bound(changes_, at, {}, &Change::at);
    Period period{.offset = first_offset_};
    if (next != changes_.begin()) {
        period.offset = (next - 1)->offset;
        period.begin = (next - 1)->at;
    }
    if (next != changes_.end()) period.end = next->at;
    return period;
}

TimeZone::Period TimeZone::period_by_rule(Timestamp at) const {
    Period period = period_of_table(at);
    if (!rule_->summer) {
        period.offset = rule_->offset;
        return period;
    }
    const Timestamp table_end = period.begin;
    if (changes_.empty()) period.offset = rule_->offset;
    const std::chrono::year_month_day date(std::chrono::floor<std::chrono::days>(at));
    for (const Change& change : changes_by_rule(date.year())) {
        if (change.at <= table_end) continue;
        if (change.at > at) {
            period.end = change.at;
            break;
        }
        period.offset = change.offset;
        period.begin = change.at;
    }
    return period;
}

TimeZone::Period TimeZone::period_at(Timestamp at) const {
    at = std::clamp(at, first_instant, last_instant);
    const bool is_in_table = !rule_ || (!changes_.empty() && at < changes_.back().at);
    return is_in_table ? period_of_table(at) : period_by_rule(at);
}

LocalTime TimeZone::local(Timestamp at) const {
    at = std::clamp(at, first_instant, last_instant);
    return LocalTime(at.time_since_epoch() + period_at(at).offset);
}

/// All periods in which the clocks may show the time.
std::vector<TimeZone::Period> TimeZone::periods_around(LocalTime time) const {
    const Timestamp as_utc(time.time_since_epoch());
    const Timestamp last = std::min(as_utc + widest_offset, last_instant);
    std::vector<Period> periods{period_at(as_utc - widest_offset)};
    while (periods.back().end <= last) periods.push_back(period_at(periods.back().end));
    return periods;
}

std::vector<Timestamp> TimeZone::instants_of(LocalTime time) const {
    time = within_known_years(time);
    std::vector<Timestamp> instants;
    for (const Period& period : periods_around(time)) {
        const Timestamp at(time.time_since_epoch() - period.offset);
        if (at >= period.begin && at < period.end) instants.push_back(at);
    }
    return instants;
}

Timestamp TimeZone::first_reaching(LocalTime time) const {
    time = within_known_years(time);
    const std::vector<Period> periods = periods_around(time);
    const auto at_in = [&](const Period& period) {
        return std::max(Timestamp(time.time_since_epoch() - period.offset), period.begin);
    };
    const auto reaching =
        std::ranges::find_if(periods, [&](const Period& period) { return at_in(period) < period.end; });
    return reaching == periods.end() ? last_instant : at_in(*reaching);
}

}  // namespace holdfast::core
