#include "core/calendar/cron.h"

#include <gmock/gmock.h>

#include <vector>

#include "base/text.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Cron cron(std::string_view text) {
    auto read = Cron::parse(text);
    if (!read) ADD_FAILURE() << text << ": " << read.error();
    return std::move(read).value();
}

std::string error_of(std::string_view text) {
    const auto read = Cron::parse(text);
    return read ? "" : read.error();
}

LocalTime at(std::string_view text) {
    return LocalTime(parse_timestamp(concat(text, "Z"))->time_since_epoch());
}

std::string shown(std::optional<LocalTime> time) {
    if (!time) return "never";
    return format_timestamp(Timestamp(time->time_since_epoch())).substr(0, 16);
}

/// The first `count` matches from 2026-01-01 on, a Thursday.
std::vector<std::string> first(std::string_view text, int count, std::string_view from = "2026-01-01T00:00:00") {
    const Cron pattern = cron(text);
    std::vector<std::string> found;
    auto time = pattern.next(at(from));
    for (; count > 0; --count) {
        found.push_back(shown(time));
        if (time) time = pattern.next(*time + 1min);
    }
    return found;
}

TEST(Cron, EveryMinuteMatchesAtOnceAndRoundsUpToTheNextMinute) {
    EXPECT_EQ(shown(cron("* * * * *").next(at("2026-01-01T00:00:00"))), "2026-01-01T00:00");
    EXPECT_EQ(shown(cron("* * * * *").next(at("2026-01-01T00:00:00.000001"))), "2026-01-01T00:01");
    EXPECT_EQ(shown(cron("* * * * *").next(at("2026-12-31T23:59:59"))), "2027-01-01T00:00");
}

TEST(Cron, KnowsValuesListsRangesAndSteps) {
    EXPECT_THAT(first("5 4 * * *", 2), ElementsAre("2026-01-01T04:05", "2026-01-02T04:05"));
    EXPECT_THAT(first("0,30 8 * * *", 3), ElementsAre("2026-01-01T08:00", "2026-01-01T08:30", "2026-01-02T08:00"));
    EXPECT_THAT(first("58-59 23 * * *", 3), ElementsAre("2026-01-01T23:58", "2026-01-01T23:59", "2026-01-02T23:58"));
    EXPECT_THAT(first("*/25 0 * * *", 4),
                ElementsAre("2026-01-01T00:00", "2026-01-01T00:25", "2026-01-01T00:50", "2026-01-02T00:00"));
    EXPECT_THAT(first("10-40/15,7 0 * * *", 4),
                ElementsAre("2026-01-01T00:07", "2026-01-01T00:10", "2026-01-01T00:25", "2026-01-01T00:40"));
    EXPECT_THAT(first(" 0\t0  1   */6 * ", 3),
                ElementsAre("2026-01-01T00:00", "2026-07-01T00:00", "2027-01-01T00:00"));
}

TEST(Cron, KnowsNamesInAnyLetterCase) {
    EXPECT_THAT(first("0 0 1 FEB,apr-Jun/2 *", 3),
                ElementsAre("2026-02-01T00:00", "2026-04-01T00:00", "2026-06-01T00:00"));
    EXPECT_THAT(first("0 0 * * Mon-wEd", 4),
                ElementsAre("2026-01-05T00:00", "2026-01-06T00:00", "2026-01-07T00:00", "2026-01-12T00:00"));
}

TEST(Cron, SundayIsZeroAndSevenAndTheEndOfAWeek) {
    for (const char* sunday : {"0 0 * * 0", "0 0 * * 7", "0 0 * * SUN", "0 0 * * 7-7", "0 0 * * 0,7"})
        EXPECT_THAT(first(sunday, 2), ElementsAre("2026-01-04T00:00", "2026-01-11T00:00")) << sunday;
    for (const char* weekend : {"0 0 * * 6-7", "0 0 * * SAT-SUN", "0 0 * * 6,0", "0 0 * * 6-0"})
        EXPECT_THAT(first(weekend, 3), ElementsAre("2026-01-03T00:00", "2026-01-04T00:00", "2026-01-10T00:00"))
            << weekend;
}

TEST(Cron, EitherOfTwoNamedDaysWillDo) {
    EXPECT_THAT(first("0 0 13 * FRI", 5), ElementsAre("2026-01-02T00:00", "2026-01-09T00:00", "2026-01-13T00:00",
                                                      "2026-01-16T00:00", "2026-01-23T00:00"));
}

TEST(Cron, BothDaysMustMatchWhenOneBeginsWithAStar) {
    EXPECT_THAT(first("0 0 13 * *", 2), ElementsAre("2026-01-13T00:00", "2026-02-13T00:00"));
    EXPECT_THAT(first("0 0 * * FRI", 2), ElementsAre("2026-01-02T00:00", "2026-01-09T00:00"));
    EXPECT_THAT(first("0 0 */2 * FRI", 2), ElementsAre("2026-01-09T00:00", "2026-01-23T00:00"));
    EXPECT_THAT(first("0 0 1 * */7", 2), ElementsAre("2026-02-01T00:00", "2026-03-01T00:00"));
}

TEST(Cron, ShortMonthsAndLeapYearsAreKnown) {
    EXPECT_THAT(first("0 0 31 * *", 3), ElementsAre("2026-01-31T00:00", "2026-03-31T00:00", "2026-05-31T00:00"));
    EXPECT_THAT(first("0 0 29 2 *", 3), ElementsAre("2028-02-29T00:00", "2032-02-29T00:00", "2036-02-29T00:00"));
    EXPECT_THAT(first("0 0 29 2 *", 2, "2096-03-01T00:00:00"), ElementsAre("2104-02-29T00:00", "2108-02-29T00:00"));
    EXPECT_THAT(first("0 0 30 2,4 *", 2), ElementsAre("2026-04-30T00:00", "2027-04-30T00:00"));
}

TEST(Cron, FindsWhatComesOnceInFortyYears) {
    EXPECT_THAT(first("0 0 29 2 */7", 2, "2088-02-29T00:01:00"), ElementsAre("2128-02-29T00:00", "2156-02-29T00:00"));
}

TEST(Cron, KnowsTheUsualShorthands) {
    EXPECT_THAT(first("@hourly", 2), ElementsAre("2026-01-01T00:00", "2026-01-01T01:00"));
    EXPECT_THAT(first("@daily", 2), ElementsAre("2026-01-01T00:00", "2026-01-02T00:00"));
    EXPECT_THAT(first("@weekly", 2), ElementsAre("2026-01-04T00:00", "2026-01-11T00:00"));
    EXPECT_THAT(first("@monthly", 2), ElementsAre("2026-01-01T00:00", "2026-02-01T00:00"));
    EXPECT_THAT(first("@yearly", 2), ElementsAre("2026-01-01T00:00", "2027-01-01T00:00"));
}

TEST(Cron, KeepsItsText) {
    EXPECT_EQ(cron("0 0 * * Mon-wEd").text(), "0 0 * * Mon-wEd");
    EXPECT_EQ(cron("@daily").text(), "@daily");
}

TEST(Cron, EndsWithTheYear9999AndBeginsWithTheFirst) {
    EXPECT_EQ(shown(cron("* * * * *").next(at("9999-12-31T23:59:00"))), "9999-12-31T23:59");
    EXPECT_EQ(cron("* * * * *").next(at("9999-12-31T23:59:01")), std::nullopt);
    EXPECT_EQ(cron("0 0 1 1 *").next(at("9999-01-01T00:01:00")), std::nullopt);
    EXPECT_EQ(cron("* * * * *").next(LocalTime::max()), std::nullopt);
    EXPECT_EQ(shown(cron("* * * * *").next(LocalTime::min())), "0001-01-01T00:00");
}

TEST(Cron, KnowsWhetherItNamesTimesOfTheDay) {
    for (const char* text : {"* * * * *", "30 * * * MON", "@hourly", "5 0-23 * * *", "5 */1 * * *"})
        EXPECT_TRUE(cron(text).is_every_hour()) << text;
    for (const char* text : {"30 2 * * *", "0 */2 * * *", "* 1-23 * * *", "@daily"})
        EXPECT_FALSE(cron(text).is_every_hour()) << text;
}

TEST(Cron, KnowsTheShortestTimeBetweenTwoMatches) {
    EXPECT_EQ(cron("* * * * *").shortest_distance(), 1min);
    EXPECT_EQ(cron("*/25 * * * *").shortest_distance(), 10min);
    EXPECT_EQ(cron("30 2 * * *").shortest_distance(), 24h);
    EXPECT_EQ(cron("0 0 1 1 *").shortest_distance(), 24h);
    EXPECT_EQ(cron("0 1,22 * * *").shortest_distance(), 3h);
    EXPECT_EQ(cron("0,50 * * * *").shortest_distance(), 10min);
}

TEST(Cron, ErrorsNameTheFieldAndWhatIsAllowed) {
    struct Case {
        const char* text;
        const char* field;
        const char* rule;
    };
    const Case cases[] = {
        {"60 * * * *", "the minute", "0 to 59"},
        {"* 24 * * *", "the hour", "0 to 23"},
        {"* * 0 * *", "the day of month", "1 to 31"},
        {"* * 32 * *", "the day of month", "1 to 31"},
        {"* * * 13 *", "the month", "1 to 12, JAN to DEC"},
        {"* * * 0 *", "the month", "1 to 12"},
        {"* * * * 8", "the day of week", "0 to 7, SUN to SAT"},
        {"* * * * MONDAY", "the day of week", "SUN to SAT"},
        {"* * L * *", "the day of month", "\"L\""},
        {"* * * * FEB", "the day of week", "\"FEB\""},
        {"-1 * * * *", "the minute", "\"-1\""},
        {"1,,2 * * * *", "the minute", "\"\""},
        {"1, * * * *", "the minute", "\"\""},
        {"1- * * * *", "the minute", "\"1-\""},
        {"1-2-3 * * * *", "the minute", "\"1-2-3\""},
        {"001 * * * *", "the minute", "\"001\""},
        {"** * * * *", "the minute", "\"**\""},
        {"*/0 * * * *", "the minute", "step from 1 to 59"},
        {"*/60 * * * *", "the minute", "step from 1 to 59"},
        {"*/ * * * *", "the minute", "step from 1 to 59"},
        {"*/2/3 * * * *", "the minute", "step from 1 to 59"},
        {"5/15 * * * *", "the minute", "write \"5-59/15\""},
        {"40-20 * * * *", "the minute", "runs backwards"},
        {"* * * * SAT-MON", "the day of week", "runs backwards"},
    };
    for (const Case& each : cases)
        EXPECT_THAT(error_of(each.text), AllOf(HasSubstr(each.field), HasSubstr(each.rule))) << each.text;
}

TEST(Cron, ErrorsSayHowManyFieldsThereMustBe) {
    for (const char* text : {"", " ", "* * * *", "0 * * * * *", "nightly"})
        EXPECT_THAT(error_of(text), HasSubstr("must have five fields")) << text;
    EXPECT_THAT(error_of("@reboot"), HasSubstr("@hourly, @daily, @weekly, @monthly or @yearly, not \"@reboot\""));
}

TEST(Cron, WhatNeverComesIsRefused) {
    EXPECT_EQ(error_of("0 0 30 2 *"), "this cron never comes: no month of \"2\" has a day of \"30\"");
    EXPECT_THAT(error_of("0 0 31 FEB,APR-JUN/2,sep,NOV *"), HasSubstr("never comes"));
    EXPECT_EQ(error_of("0 0 30 2 MON"), "");  // any Monday in February
    EXPECT_EQ(error_of("0 0 29 2 *"), "");
}

}  // namespace
}  // namespace holdfast::core
