#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <ctime>

#include "base/text.h"

namespace holdfast {
namespace {

using namespace std::chrono_literals;

Timestamp at(int year, unsigned month, unsigned day, Duration time = {}) {
    return std::chrono::sys_days(std::chrono::year(year) / static_cast<int>(month) / static_cast<int>(day)) + time;
}

TEST(FormatTimestamp, ShowsAsMuchOfTheFractionAsThereIs) {
    const Timestamp whole = at(2026, 11, 15, 8h + 30min);
    EXPECT_EQ(format_timestamp(whole), "2026-11-15T08:30:00Z");
    EXPECT_EQ(format_timestamp(whole + 120ms), "2026-11-15T08:30:00.120Z");
    EXPECT_EQ(format_timestamp(whole + 123456us), "2026-11-15T08:30:00.123456Z");
    EXPECT_EQ(format_timestamp(whole + 1us), "2026-11-15T08:30:00.000001Z");
}

TEST(FormatTimestamp, CountsBackwardsFromTheEpochToo) {
    EXPECT_EQ(format_timestamp(Timestamp(-1us)), "1969-12-31T23:59:59.999999Z");
}

TEST(FormatTimestamp, StaysWithinTheYearsThatCanBeWritten) {
    EXPECT_EQ(format_timestamp(Timestamp::max()), "9999-12-31T23:59:59.999999Z");
    EXPECT_EQ(format_timestamp(Timestamp::min()), "0000-01-01T00:00:00Z");
}

TEST(ParseTimestamp, ReadsRfc3339AndWhatDatabasesPrint) {
    const Timestamp expected = at(2026, 11, 15, 8h + 30min + 123456us);
    for (const char* text :
         {"2026-11-15T08:30:00.123456Z", "2026-11-15t08:30:00.123456z", "2026-11-15 08:30:00.123456Z",
          "2026-11-15T09:30:00.123456+01:00", "2026-11-14T22:00:00.123456-10:30", "2026-11-15 08:30:00.123456+00",
          "2026-11-15T08:30:00.123456789Z", "2026-11-15T08:30:00.123456-00:00"})
        EXPECT_EQ(parse_timestamp(text), expected) << text;
    EXPECT_EQ(parse_timestamp("2024-02-29T00:00:00Z"), at(2024, 2, 29));
    EXPECT_EQ(parse_timestamp("2026-11-15T08:30:00.5Z"), at(2026, 11, 15, 8h + 30min + 500ms));
}

TEST(ParseTimestamp, TakesALeapSecondWhereThereCanBeOne) {
    EXPECT_EQ(parse_timestamp("1990-12-31T23:59:60Z"), at(1991, 1, 1));
    EXPECT_EQ(parse_timestamp("1990-12-31T15:59:60-08:00"), at(1991, 1, 1));
    EXPECT_EQ(parse_timestamp("1990-12-31T12:00:60Z"), std::nullopt);
}

TEST(ParseTimestamp, RefusesEverythingElse) {
    for (const char* text : {"",
                             "now",
                             "2026-11-15",
                             "2026-11-15T08:30:00",
                             "2026-11-15T08:30Z",
                             "2026-11-15T24:00:00Z",
                             "2026-02-29T00:00:00Z",
                             "2026-13-01T00:00:00Z",
                             "2026-00-01T00:00:00Z",
                             "2026-11-31T00:00:00Z",
                             "2026-11-15T08:60:00Z",
                             "2026-11-15T08:30:61Z",
                             "2026-11-15T08:30:00.Z",
                             "2026-11-15T08:30:00,5Z",
                             "2026-11-15T08:30:00ZZ",
                             " 2026-11-15T08:30:00Z",
                             "2026-11-15T08:30:00Z ",
                             "26-11-15T08:30:00Z",
                             "12026-11-15T08:30:00Z",
                             "-026-11-15T08:30:00Z",
                             "2026-11-15T08:30:00+24:00",
                             "2026-11-15T08:30:00+1:00",
                             "2026-11-15T08:30:00+01:",
                             "2026-11-15T08:30:00+0100",
                             "2026/11/15T08:30:00Z",
                             "2026-11-15T08:30:00+01:60",
                             "9999-12-31T23:59:59-00:01",
                             "0000-01-01T00:00:00+00:01"})
        EXPECT_EQ(parse_timestamp(text), std::nullopt) << text;
}

RC_GTEST_PROP(FormatTimestamp, IsReadBackAsTheSameTime, ()) {
    const std::int64_t first = -62'167'219'200'000'000, past_last = 253'402'300'800'000'000;
    const Timestamp time(Duration(*rc::gen::inRange(first, past_last)));
    RC_ASSERT(parse_timestamp(format_timestamp(time)) == time);
}

RC_GTEST_PROP(FormatTimestamp, AgreesWithTheCLibrary, ()) {
    const std::time_t seconds = *rc::gen::inRange<std::time_t>(-62'167'219'200, 253'402'300'800);
    std::tm calendar{};
    RC_ASSERT(gmtime_r(&seconds, &calendar) != nullptr);
    char text[64];
    std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02dZ", calendar.tm_year + 1900, calendar.tm_mon + 1,
                  calendar.tm_mday, calendar.tm_hour, calendar.tm_min, calendar.tm_sec);
    RC_ASSERT(format_timestamp(Timestamp(std::chrono::seconds(seconds))) == text);
}

}  // namespace
}  // namespace holdfast
