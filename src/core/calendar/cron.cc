#include "core/calendar/cron.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <vector>

#include "base/text.h"
#include "core/json_text.h"

namespace holdfast::core {

namespace {

using namespace std::chrono_literals;
using std::chrono::days;
using std::chrono::local_days;
using std::chrono::minutes;
using std::chrono::months;
using std::chrono::year_month;
using std::chrono::year_month_day;
using Set = std::uint64_t;
using Defect = std::string;  // empty: none

// ---- The fields --------------------------------------------------------------------------------------------------

constexpr std::array<std::string_view, 12> month_names = {"JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                                          "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
constexpr std::array<std::string_view, 7> weekday_names = {"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"};
constexpr int sunday_as_end = 7;

struct Field {
    std::string_view name;
    int least;
    int most;
    std::span<const std::string_view> words = {};  // the first one stands for `least`
};
constexpr std::array<Field, 5> fields = {{{"minute", 0, 59},
                                          {"hour", 0, 23},
                                          {"day of month", 1, 31},
                                          {"month", 1, 12, month_names},
                                          {"day of week", 0, sunday_as_end, weekday_names}}};

struct Macro {
    std::string_view name;
    std::string_view meaning;
};
constexpr Macro macros[] = {{"@hourly", "0 * * * *"},
                            {"@daily", "0 0 * * *"},
                            {"@weekly", "0 0 * * 0"},
                            {"@monthly", "0 0 1 * *"},
                            {"@yearly", "0 0 1 1 *"}};

std::string allowed(const Field& field) {
    std::string values = concat(field.least, " to ", field.most);
    if (!field.words.empty()) values = concat(values, ", ", field.words.front(), " to ", field.words.back());
    return values;
}

// ---- Reading -----------------------------------------------------------------------------------------------------

constexpr std::string_view blanks = " \t";

std::vector<std::string_view> split_at_blanks(std::string_view text) {
    std::vector<std::string_view> parts;
    for (;;) {
        text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
        if (text.empty()) return parts;
        const std::size_t end = std::min(text.find_first_of(blanks), text.size());
        parts.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
}

/// Reads one or two digits; every value and step fits into two.
std::optional<int> read_number(std::string_view text) {
    const bool has_form = !text.empty() && text.size() <= 2 && text.find_first_not_of("0123456789") == text.npos;
    return has_form ? std::optional(std::stoi(std::string(text))) : std::nullopt;
}

std::optional<int> read_value(std::string_view text, const Field& field) {
    for (std::size_t i = 0; i < field.words.size(); ++i)
        if (lower_case(text) == lower_case(field.words[i])) return field.least + static_cast<int>(i);
    const auto number = read_number(text);
    if (!number || *number < field.least || *number > field.most) return std::nullopt;
    return number;
}

struct Range {
    int from;
    int to;
};

Defect value_defect(std::string_view value, const Field& field) {
    return concat("the ", field.name, " of a cron must be ", allowed(field),
                  " or *, a range, list or step of these, not ", in_quotes(value));
}

/// Reads a range. "FRI-SUN" and "5-0" end on the Sunday after their beginning.
Result<Range, Defect> read_two_ends(std::string_view text, std::size_t dash, const Field& field) {
    const auto from = read_value(text.substr(0, dash), field);
    auto to = read_value(text.substr(dash + 1), field);
    if (!from || !to) return Failure{value_defect(text, field)};
    if (field.most == sunday_as_end && *to == 0) to = sunday_as_end;
    if (*from > *to)
        return Failure{concat("the ", field.name, " of a cron has a range that runs backwards: ", in_quotes(text),
                              "; write two, with a comma between them")};
    return Range{*from, *to};
}

Result<Range, Defect> read_range(std::string_view text, const Field& field) {
    if (text == "*") return Range{field.least, field.most};
    if (const std::size_t dash = text.find('-'); dash != std::string_view::npos)
        return read_two_ends(text, dash, field);
    const auto value = read_value(text, field);
    if (!value) return Failure{value_defect(text, field)};
    return Range{*value, *value};
}

Result<int, Defect> read_step(std::string_view item, std::size_t slash, const Field& field) {
    const std::string_view range = item.substr(0, slash);
    if (range != "*" && range.find('-') == std::string_view::npos)
        return Failure{concat("the ", field.name, " of a cron has a step without a range: ", in_quotes(item),
                              "; write ", in_quotes(concat(range, "-", field.most, item.substr(slash))))};
    const auto step = read_number(item.substr(slash + 1));
    if (!step || *step < 1 || *step > field.most)
        return Failure{concat("the ", field.name, " of a cron must have a step from 1 to ", field.most, ", not ",
                              in_quotes(item))};
    return *step;
}

Result<Set, Defect> read_item(std::string_view item, const Field& field) {
    const std::size_t slash = item.find('/');
    const auto range = read_range(item.substr(0, slash), field);
    if (!range) return Failure{range.error()};
    int step = 1;
    if (slash != std::string_view::npos) {
        const auto read = read_step(item, slash, field);
        if (!read) return Failure{read.error()};
        step = *read;
    }
    Set set = 0;
    for (int value = range->from; value <= range->to; value += step) set |= Set{1} << value;
    return set;
}

Result<Set, Defect> read_field(std::string_view text, const Field& field) {
    Set set = 0;
    for (const std::string_view item : split(text, ',')) {
        auto values = read_item(item, field);
        if (!values) return values;
        set |= *values;
    }
    return set;
}

Result<std::string_view, Defect> meaning_of(std::string_view text) {
    if (!text.starts_with('@')) return text;
    for (const Macro& macro : macros)
        if (macro.name == text) return macro.meaning;
    return Failure{concat("a cron may be @hourly, @daily, @weekly, @monthly or @yearly, not ", in_quotes(text))};
}

Set with_one_sunday(Set weekdays) {
    constexpr Set seventh = Set{1} << sunday_as_end;
    return (weekdays & seventh) != 0 ? (weekdays & ~seventh) | 1 : weekdays;
}

// ---- Searching ---------------------------------------------------------------------------------------------------

constexpr int no_bit = 64;

/// The smallest member that is at least `from`; no_bit when the set has none.
int first_from(Set set, int from) {
    return from >= no_bit ? no_bit : std::countr_zero(set >> from << from);
}

constexpr LocalTime first_time = local_days(first_year / 1 / 1);

/// Every cron that matches at all matches within 40 years. The worst case is 29 February on a weekday, across a
/// century year without a leap day.
constexpr months longest_search = std::chrono::years(41);

}  // namespace

Result<Cron, std::string> Cron::parse(std::string_view text) {
    const auto meaning = meaning_of(trimmed(text));
    if (!meaning) return Failure{meaning.error()};
    const auto parts = split_at_blanks(*meaning);
    if (parts.size() != fields.size())
        return Failure{concat("a cron must have five fields (minute, hour, day of month, month, day of week), not ",
                              parts.size(), ": ", in_quotes(text))};
    Cron cron;
    cron.text_ = text;
    const std::array<Set*, 5> sets = {&cron.minutes_, &cron.hours_, &cron.days_of_month_, &cron.months_,
                                      &cron.days_of_week_};
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const auto set = read_field(parts[i], fields[i]);
        if (!set) return Failure{set.error()};
        *sets[i] = *set;
    }
    cron.days_of_week_ = with_one_sunday(cron.days_of_week_);
    cron.needs_both_days_ = parts[2].starts_with('*') || parts[4].starts_with('*');
    if (!cron.next(local_days(std::chrono::year(2000) / 1 / 1)))
        return Failure{concat("this cron never comes: no month of ", in_quotes(parts[3]), " has a day of ",
                              in_quotes(parts[2]))};
    return cron;
}

/// The matching days of a month; bit 1 is its first day.
Cron::Set Cron::days_in(year_month month) const {
    const local_days first(month / 1);
    const unsigned count = static_cast<unsigned>((month / std::chrono::last).day());
    const Set existing = ((Set{1} << count) - 1) << 1;
    const unsigned first_weekday = std::chrono::weekday(first).c_encoding();
    Set by_weekday = 0;
    for (unsigned day = 1; day <= count; ++day)
        by_weekday |= (days_of_week_ >> (first_weekday + day - 1) % 7 & 1) << day;
    const Set matching = needs_both_days_ ? days_of_month_ & by_weekday : days_of_month_ | by_weekday;
    return matching & existing;
}

std::optional<local_days> Cron::next_day(local_days from) const {
    const year_month_day date(from);
    const year_month first = date.year() / date.month();
    int day = static_cast<int>(static_cast<unsigned>(date.day()));
    for (year_month month = first; month - first <= longest_search && month.year() <= last_year; month += months(1)) {
        if ((months_ >> static_cast<unsigned>(month.month()) & 1) != 0) {
            const int found = first_from(days_in(month), day);
            if (found != no_bit) return local_days(month / found);
        }
        day = 1;
    }
    return std::nullopt;
}

/// The next matching minute, counted from midnight; nullopt when the day has no further match.
std::optional<minutes> Cron::next_minute(minutes from) const {
    const int hour = static_cast<int>(from / 1h);
    const int minute = static_cast<int>(from % 1h / 1min);
    if (first_from(hours_, hour) == hour && first_from(minutes_, minute) != no_bit)
        return hour * 1h + first_from(minutes_, minute) * 1min;
    const int later = first_from(hours_, hour + 1);
    if (later == no_bit) return std::nullopt;
    return later * 1h + first_from(minutes_, 0) * 1min;
}

std::optional<LocalTime> Cron::next(LocalTime from) const {
    const auto start = std::chrono::ceil<minutes>(std::max(from, first_time));
    const auto today = std::chrono::floor<days>(start);
    const auto day = today > local_days(last_year / 12 / 31) ? std::nullopt : next_day(today);
    if (!day) return std::nullopt;
    if (const auto minute = next_minute(*day == today ? start - today : 0min)) return *day + *minute;
    const auto later_day = next_day(today + days(1));
    if (!later_day) return std::nullopt;
    return *later_day + *next_minute(0min);
}

bool Cron::is_every_hour() const {
    constexpr Set all = (Set{1} << 24) - 1;
    return hours_ == all;
}

minutes Cron::shortest_distance() const {
    const minutes first = *next_minute(0min);
    minutes shortest = 24h;
    for (minutes previous = first;;) {
        const auto following = previous + 1min < 24h ? next_minute(previous + 1min) : std::nullopt;
        shortest = std::min(shortest, following.value_or(first + 24h) - previous);
        if (!following) return shortest;
        previous = *following;
    }
}

}  // namespace holdfast::core
