#include "core/calendar/time_zone.h"

#include <algorithm>

namespace holdfast::core {

namespace {

using namespace std::chrono_literals;
using std::chrono::seconds;
using std::chrono::sys_seconds;

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
