#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <random>
#include <set>

#include "base/text.h"
#include "core/calendar/schedule.h"
#include "platform/zone_files.h"

// Slots are found a second time by a walk through every minute, with the clocks of the C library, and with sets that
// are made beside the text of a cron instead of read from it.

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;
using Minute = std::int64_t;  // since 1970
using Random = std::mt19937;
constexpr Minute one_day = 1440;

int from_to(Random& random, int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
}

struct RandomField {
    std::string text = {};
    std::set<int> values = {};

    [[nodiscard]] bool has_star() const { return text.starts_with('*'); }
    void add(int first, int last, int step) {
        for (int value = first; value <= last; value += step) values.insert(value);
    }
};

void add_random_item(Random& random, int least, int most, RandomField& field) {
    const int from = from_to(random, least, most);
    const int to = from_to(random, from, most);
    const int step = from_to(random, 1, std::min(most, 20));
    const int kind = from_to(random, 0, 3);
    if (!field.text.empty()) field.text += ',';
    field.text += kind == 0   ? concat(from)
                  : kind == 1 ? concat(from, '-', to)
                  : kind == 2 ? concat(from, '-', to, '/', step)
                              : concat("*/", step);
    if (kind == 3)
        field.add(least, most, step);
    else
        field.add(from, kind == 0 ? from : to, kind == 2 ? step : 1);
}

RandomField random_field(Random& random, int least, int most, int chance_of_star) {
    RandomField field;
    if (from_to(random, 1, 100) <= chance_of_star) {
        field.text = "*";
        field.add(least, most, 1);
        return field;
    }
    for (int items = from_to(random, 1, 3); items > 0; --items) add_random_item(random, least, most, field);
    return field;
}

struct RandomCron {
    RandomField minute, hour, day_of_month, month, day_of_week;

    explicit RandomCron(Random& random)
        : minute(random_field(random, 0, 59, 10)),
          hour(random_field(random, 0, 23, 20)),
          day_of_month(random_field(random, 1, 31, 50)),
          month(random_field(random, 1, 12, 70)),
          day_of_week(random_field(random, 0, 7, 60)) {
        if (day_of_week.values.contains(7)) day_of_week.values.insert(0);
    }

    [[nodiscard]] std::string text() const {
        return concat(minute.text, ' ', hour.text, ' ', day_of_month.text, ' ', month.text, ' ', day_of_week.text);
    }
    [[nodiscard]] bool is_every_hour() const { return hour.values.size() == 24; }

    [[nodiscard]] bool matches(Minute local) const {
        const std::time_t seconds = local * 60;
        std::tm time{};
        ::gmtime_r(&seconds, &time);
        if (!minute.values.contains(time.tm_min) || !hour.values.contains(time.tm_hour)) return false;
        const bool by_month_day = day_of_month.values.contains(time.tm_mday);
        const bool by_week_day = day_of_week.values.contains(time.tm_wday);
        const bool needs_both = day_of_month.has_star() || day_of_week.has_star();
        return month.values.contains(time.tm_mon + 1) &&
               (needs_both ? by_month_day && by_week_day : by_month_day || by_week_day);
    }
};

/// What the clocks of a place show, as the C library has it.
class Clocks {
public:
    explicit Clocks(const std::string& zone) {
        ::setenv("TZ", concat(':', zone).c_str(), 1);
        ::tzset();
    }
    ~Clocks() {
        ::unsetenv("TZ");
        ::tzset();
    }
    Clocks(const Clocks&) = delete;
    Clocks& operator=(const Clocks&) = delete;

    [[nodiscard]] Minute at(Minute instant) const {
        const std::time_t seconds = instant * 60;
        std::tm local{};
        ::localtime_r(&seconds, &local);
        return (seconds + local.tm_gmtoff) / 60;
    }
};

/// A minute is a slot when the clocks show a match; or, for a cron that names hours, when they reach or pass one for
/// the first time.
std::vector<Minute> slots_by_walking(const RandomCron& cron, const Clocks& clocks, Minute begin, Minute end) {
    std::vector<Minute> slots;
    Minute latest = clocks.at(begin - 3 * one_day);
    for (Minute instant = begin - 3 * one_day; instant < end; ++instant) {
        const Minute shown = clocks.at(instant);
        bool is_slot = cron.is_every_hour() && cron.matches(shown);
        if (!cron.is_every_hour())
            for (Minute reached = latest + 1; reached <= shown; ++reached) is_slot = is_slot || cron.matches(reached);
        latest = std::max(latest, shown);
        if (is_slot && instant >= begin) slots.push_back(instant);
    }
    return slots;
}

std::vector<Minute> slots_by_next_slot(const std::string& cron, const std::string& zone_name, Minute begin,
                                       Minute end) {
    auto read = Cron::parse(cron);
    if (!read) return {};  // what never comes; so the walk finds nothing either
    const ScheduleTiming timing{.cron = std::move(read).value(), .zone = zone_name};
    const TimeZone zone = platform::read_zone(zone_name).value();
    std::vector<Minute> slots;
    auto slot = next_slot(timing, zone, Timestamp(std::chrono::minutes(begin)) - 1us);
    for (; slot && *slot < Timestamp(std::chrono::minutes(end)); slot = next_slot(timing, zone, *slot)) {
        EXPECT_EQ(slot->time_since_epoch() % 1min, 0us);
        slots.push_back(slot->time_since_epoch() / 1min);
    }
    return slots;
}

struct Change {
    const char* zone;
    const char* around;
};
void PrintTo(const Change& change, std::ostream* out) {
    *out << change.zone << " " << change.around;
}

class AgainstAWalk : public ::testing::TestWithParam<Change> {};

TEST_P(AgainstAWalk, RandomCronsHaveTheSameSlotsAroundAChangeOfTheClocks) {
    const Clocks clocks(GetParam().zone);
    const Minute change = parse_timestamp(GetParam().around)->time_since_epoch() / 1min;
    Random random(20261115);
    std::size_t compared = 0;
    for (int i = 0; i < 25; ++i) {
        const RandomCron cron(random);
        const Minute begin = change - from_to(random, 0, 2 * one_day);
        const Minute end = change + 3 * one_day;
        const auto expected = slots_by_walking(cron, clocks, begin, end);
        ASSERT_EQ(slots_by_next_slot(cron.text(), GetParam().zone, begin, end), expected) << cron.text();
        compared += expected.size();
    }
    EXPECT_GT(compared, 500);
}

INSTANTIATE_TEST_SUITE_P(
    Schedule, AgainstAWalk,
    ::testing::Values(
        Change{"Europe/Berlin", "2026-03-29T01:00:00Z"}, Change{"Europe/Berlin", "2026-10-25T01:00:00Z"},
        Change{"Europe/Berlin", "2500-10-31T01:00:00Z"}, Change{"America/New_York", "2026-03-08T07:00:00Z"},
        Change{"America/New_York", "2026-11-01T06:00:00Z"}, Change{"Australia/Lord_Howe", "2026-10-03T15:30:00Z"},
        Change{"Australia/Lord_Howe", "2026-04-04T15:00:00Z"}, Change{"Africa/Casablanca", "2026-02-15T02:00:00Z"},
        Change{"Africa/Casablanca", "2026-03-22T02:00:00Z"}, Change{"Asia/Kolkata", "2028-02-29T00:00:00Z"},
        Change{"Pacific/Apia", "2011-12-30T10:00:00Z"}, Change{"Antarctica/Troll", "2026-10-25T01:00:00Z"},
        Change{"UTC", "2100-02-28T12:00:00Z"}));

TEST(Schedule, RandomCronsHaveTheSlotsOfAWalkThroughTwoYears) {
    const Clocks clocks("UTC");
    const Minute begin = parse_timestamp("2027-06-01T00:00:00Z")->time_since_epoch() / 1min;
    Random random(5);
    for (int i = 0; i < 3; ++i) {
        const RandomCron cron(random);
        const Minute end = begin + 731 * one_day;
        ASSERT_EQ(slots_by_next_slot(cron.text(), "UTC", begin, end), slots_by_walking(cron, clocks, begin, end))
            << cron.text();
    }
}

}  // namespace
}  // namespace holdfast::core
