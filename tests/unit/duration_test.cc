#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"

namespace holdfast {
namespace {

using namespace std::chrono_literals;

struct Reading {
    const char* text;
    Duration length;
};

TEST(ParseDuration, ReadsUnitsAndTheirSums) {
    const Reading readings[] = {
        {"30s", 30s},        {"5m", 5min},
        {"1h30m", 90min},    {"1.5s", 1500ms},
        {"2d", 48h},         {"250ms", 250ms},
        {"7us", 7us},        {"0s", 0s},
        {"0.25h", 15min},    {"1d2h3m4s5ms6us", 93784005006us},
        {"90m", 90min},      {"007s", 7s},
        {"0.000001s", 1us},  {"1.50s", 1500ms},
        {"1m0.5s", 60500ms}, {"0.5d", 12h},
        {"1.25ms", 1250us},
    };
    for (const Reading& reading : readings)
        EXPECT_EQ(parse_duration(reading.text, 1h), reading.length) << reading.text;
}

TEST(ParseDuration, CountsPlainNumbersInTheUnitOfTheKey) {
    EXPECT_EQ(parse_duration("30", 1s), 30s);
    EXPECT_EQ(parse_duration("120000", 1ms), 120s);
    EXPECT_EQ(parse_duration("0.5", 1h), 30min);
    EXPECT_EQ(parse_duration("0", 1s), 0s);
}

TEST(ParseDuration, RefusesEverythingElse) {
    for (const char* text : {"",      " ",    "s",     "-5s", "-5",    "+5s", "5 s",   " 5s",      "5s ",   "1h 30m",
                             "30m1h", "1m1m", "1s500", "5x",  "5S",    "1e3", "1.s",   ".5s",      "1..5s", "1,5s",
                             "5sec",  "0x10", "inf",   "nan", "1h-5m", "5mm", "1ms1s", "\xC2\xB5s"})
        EXPECT_EQ(parse_duration(text, 1s), std::nullopt) << text;
}

TEST(ParseDuration, RefusesWhatCannotBeRepresentedExactly) {
    EXPECT_EQ(parse_duration("0.0000001s", 1s), std::nullopt);
    EXPECT_EQ(parse_duration("0.5us", 1s), std::nullopt);
    EXPECT_EQ(parse_duration("9223372036854775807us", 1s), Duration::max());
    EXPECT_EQ(parse_duration("9223372036854775808us", 1s), std::nullopt);
    EXPECT_EQ(parse_duration("106751991d", 1s), 106751991 * 24h);
    EXPECT_EQ(parse_duration("106751992d", 1s), std::nullopt);
    EXPECT_EQ(parse_duration("106751991d1d", 1s), std::nullopt);
    EXPECT_EQ(parse_duration("99999999999999999999999s", 1s), std::nullopt);
    EXPECT_EQ(parse_duration("106751991d23h", 1s), std::nullopt) << "the sum overflows";
    EXPECT_EQ(parse_duration("0.00000000000000000000000000001s", 1s), std::nullopt);
}

TEST(FormatDuration, IsShortAndExact) {
    const Reading readings[] = {
        {"0s", 0s},   {"30s", 30s},        {"1h30m", 90min},     {"250ms", 250ms}, {"1.5s", 1500ms},
        {"2d", 48h},  {"1us", 1us},        {"1.5ms", 1500us},    {"1m", 60s},      {"1d1.000001s", 24h + 1000001us},
        {"-5s", -5s}, {"1h5us", 1h + 5us}, {"1m250ms", 60250ms},
    };
    for (const Reading& reading : readings) EXPECT_EQ(format_duration(reading.length), reading.text);
    EXPECT_EQ(format_duration(Duration::min()), "-106751991d4h54.775808s");
}

RC_GTEST_PROP(FormatDuration, IsReadBackAsTheSameDuration, ()) {
    const auto most = *rc::gen::element<std::int64_t>(1'000, 1'000'000, 100'000'000'000, INT64_MAX);
    const Duration length(*rc::gen::inRange<std::int64_t>(0, most));
    RC_ASSERT(parse_duration(format_duration(length), 1s) == length);
}

}  // namespace
}  // namespace holdfast
