#include "core/calendar/time_zone.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <ctime>
#include <random>

#include "base/text.h"
#include "platform/zone_files.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TimeZone zone(const std::string& name) {
    auto read = platform::read_zone(name);
    if (!read) ADD_FAILURE() << read.error();
    return read ? std::move(read).value() : TimeZone::utc();
}

Timestamp at(std::string_view text) {
    return *parse_timestamp(text);
}
LocalTime clocks(std::string_view text) {
    return LocalTime(at(concat(text, "Z")).time_since_epoch());
}

/// "2026-03-29T03:00:00", without a "Z".
std::string shown(LocalTime time) {
    const std::string text = format_timestamp(Timestamp(time.time_since_epoch()));
    return text.substr(0, text.size() - 1);
}
std::string local_in(const std::string& name, std::string_view instant) {
    return shown(zone(name).local(at(instant)));
}
std::vector<std::string> instants_in(const std::string& name, std::string_view time) {
    std::vector<std::string> shown_instants;
    for (const Timestamp instant : zone(name).instants_of(clocks(time)))
        shown_instants.push_back(format_timestamp(instant));
    return shown_instants;
}
std::string reached_in(const std::string& name, std::string_view time) {
    return format_timestamp(zone(name).first_reaching(clocks(time)));
}

TEST(TimeZone, UtcShowsWhatItIs) {
    EXPECT_EQ(shown(TimeZone::utc().local(at("2026-11-15T12:00:00Z"))), "2026-11-15T12:00:00");
    EXPECT_THAT(TimeZone::utc().instants_of(clocks("2026-11-15T12:00:00")), ElementsAre(at("2026-11-15T12:00:00Z")));
    EXPECT_EQ(TimeZone::utc().period_at(at("2026-11-15T12:00:00Z")).end, Timestamp::max());
}

TEST(TimeZone, SpringLeavesAGapAndAutumnComesTwice) {
    EXPECT_EQ(local_in("Europe/Berlin", "2026-03-29T00:59:59Z"), "2026-03-29T01:59:59");
    EXPECT_EQ(local_in("Europe/Berlin", "2026-03-29T01:00:00Z"), "2026-03-29T03:00:00");
    EXPECT_THAT(instants_in("Europe/Berlin", "2026-03-29T02:30:00"), IsEmpty());
    EXPECT_EQ(reached_in("Europe/Berlin", "2026-03-29T02:30:00"), "2026-03-29T01:00:00Z");
    EXPECT_THAT(instants_in("Europe/Berlin", "2026-03-29T03:00:00"), ElementsAre("2026-03-29T01:00:00Z"));
    EXPECT_THAT(instants_in("Europe/Berlin", "2026-10-25T02:30:00"),
                ElementsAre("2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"));
    EXPECT_EQ(reached_in("Europe/Berlin", "2026-10-25T02:30:00"), "2026-10-25T00:30:00Z");
    EXPECT_THAT(instants_in("Europe/Berlin", "2026-10-25T03:00:00"), ElementsAre("2026-10-25T02:00:00Z"));
}

TEST(TimeZone, NewYorkChangesOnOtherDays) {
    EXPECT_THAT(instants_in("America/New_York", "2026-03-08T02:00:00"), IsEmpty());
    EXPECT_THAT(instants_in("America/New_York", "2026-11-01T01:00:00"),
                ElementsAre("2026-11-01T05:00:00Z", "2026-11-01T06:00:00Z"));
}

TEST(TimeZone, LordHoweChangesByHalfAnHour) {
    EXPECT_EQ(local_in("Australia/Lord_Howe", "2026-01-01T00:00:00Z"), "2026-01-01T11:00:00");
    EXPECT_EQ(local_in("Australia/Lord_Howe", "2026-07-01T00:00:00Z"), "2026-07-01T10:30:00");
    EXPECT_THAT(instants_in("Australia/Lord_Howe", "2026-10-04T02:15:00"), IsEmpty());
    EXPECT_EQ(reached_in("Australia/Lord_Howe", "2026-10-04T02:15:00"), "2026-10-03T15:30:00Z");
    EXPECT_THAT(instants_in("Australia/Lord_Howe", "2026-10-04T02:30:00"), ElementsAre("2026-10-03T15:30:00Z"));
    EXPECT_THAT(instants_in("Australia/Lord_Howe", "2026-04-05T01:45:00"),
                ElementsAre("2026-04-04T14:45:00Z", "2026-04-04T15:15:00Z"));
}

TEST(TimeZone, KolkataIsHalfAnHourOffAndNeverChanges) {
    EXPECT_EQ(local_in("Asia/Kolkata", "2026-01-01T00:00:00Z"), "2026-01-01T05:30:00");
    EXPECT_EQ(local_in("Asia/Kolkata", "2126-07-01T00:00:00Z"), "2126-07-01T05:30:00");
}

TEST(TimeZone, CasablancaPutsItsClocksBackForRamadan) {
    EXPECT_EQ(local_in("Africa/Casablanca", "2026-01-15T12:00:00Z"), "2026-01-15T13:00:00");
    EXPECT_EQ(local_in("Africa/Casablanca", "2026-03-01T12:00:00Z"), "2026-03-01T12:00:00");
    EXPECT_EQ(local_in("Africa/Casablanca", "2026-04-15T12:00:00Z"), "2026-04-15T13:00:00");
}

TEST(TimeZone, ApiaSkippedADay) {
    EXPECT_EQ(local_in("Pacific/Apia", "2011-12-30T09:59:59Z"), "2011-12-29T23:59:59");
    EXPECT_EQ(local_in("Pacific/Apia", "2011-12-30T10:00:00Z"), "2011-12-31T00:00:00");
    EXPECT_THAT(instants_in("Pacific/Apia", "2011-12-30T12:00:00"), IsEmpty());
    EXPECT_EQ(reached_in("Pacific/Apia", "2011-12-30T12:00:00"), "2011-12-30T10:00:00Z");
}

TEST(TimeZone, TheDateLineWasMovedOverOthersToo) {
    EXPECT_THAT(instants_in("Pacific/Kwajalein", "1993-08-21T12:00:00"), IsEmpty());
    EXPECT_THAT(instants_in("America/Juneau", "1867-10-19T12:00:00").size(), 2);
}

TEST(TimeZone, TheRuleAtTheEndOfTheFileHoldsInTheFarFuture) {
    EXPECT_EQ(local_in("Europe/Berlin", "2500-07-01T12:00:00Z"), "2500-07-01T14:00:00");
    EXPECT_EQ(local_in("Europe/Berlin", "2500-12-01T12:00:00Z"), "2500-12-01T13:00:00");
    EXPECT_THAT(instants_in("Europe/Berlin", "2500-03-28T02:30:00"), IsEmpty());  // the last Sunday
    EXPECT_THAT(instants_in("Europe/Berlin", "2500-10-31T02:30:00"),
                ElementsAre("2500-10-31T00:30:00Z", "2500-10-31T01:30:00Z"));
    EXPECT_EQ(local_in("Australia/Lord_Howe", "9999-12-31T00:00:00Z"), "9999-12-31T11:00:00");
    EXPECT_EQ(local_in("America/Nuuk", "2500-07-01T12:00:00Z"),
              "2500-07-01T11:00:00");  // its rule has a negative hour
}

TEST(TimeZone, PeriodsMeetAndHaveOneOffset) {
    const TimeZone berlin = zone("Europe/Berlin");
    Timestamp instant = at("2035-01-01T00:00:00Z");
    for (int i = 0; i < 20; ++i) {
        const TimeZone::Period period = berlin.period_at(instant);
        const TimeZone::Period next = berlin.period_at(period.end);
        EXPECT_EQ(next.begin, period.end);
        EXPECT_EQ(berlin.period_at(period.end - 1us).offset, period.offset);
        EXPECT_NE(next.offset, period.offset);
        instant = period.end;
    }
    EXPECT_EQ(format_timestamp(instant), "2044-10-30T01:00:00Z");
}

TEST(TimeZone, TimesOutsideTheKnownYearsCountAsTheNearestInside) {
    const TimeZone berlin = zone("Europe/Berlin");
    EXPECT_EQ(berlin.local(Timestamp::max()), berlin.local(last_instant));
    EXPECT_EQ(berlin.local(Timestamp::min()), berlin.local(first_instant));
    for (const char* name : {"Europe/Berlin", "America/New_York"})
        for (const Timestamp instant : {first_instant, last_instant})
            EXPECT_THAT(zone(name).instants_of(zone(name).local(instant)), ElementsAre(instant)) << name;
    EXPECT_GE(berlin.first_reaching(LocalTime::max()), last_instant);
    EXPECT_LE(berlin.first_reaching(LocalTime::min()), first_instant);
}

// ---- Against the C library ----------------------------------------------------------------------

/// The C library's reading of the same file.
class CLibraryZone {
public:
    explicit CLibraryZone(const std::string& name) {
        ::setenv("TZ", concat(':', name).c_str(), 1);
        ::tzset();
    }
    ~CLibraryZone() {
        ::unsetenv("TZ");
        ::tzset();
    }
    CLibraryZone(const CLibraryZone&) = delete;
    CLibraryZone& operator=(const CLibraryZone&) = delete;

    [[nodiscard]] std::chrono::seconds offset_at(std::time_t instant) const {
        std::tm local{};
        ::localtime_r(&instant, &local);
        return std::chrono::seconds(local.tm_gmtoff);
    }
};

class AgainstTheCLibrary : public ::testing::TestWithParam<std::string> {};

TEST_P(AgainstTheCLibrary, OffsetsAgreeAtRandomInstantsAndAroundEveryChange) {
    const TimeZone ours = zone(GetParam());
    const CLibraryZone theirs(GetParam());
    const auto agree_at = [&](Timestamp instant) {
        const auto expected =
            theirs.offset_at(std::chrono::floor<std::chrono::seconds>(instant).time_since_epoch().count());
        ASSERT_EQ(ours.period_at(instant).offset, expected) << format_timestamp(instant);
    };
    std::mt19937_64 random(20261115);
    std::uniform_int_distribution<std::int64_t> years_1850_to_2600(-3786825600, 19880899200);
    for (int i = 0; i < 20'000; ++i) agree_at(Timestamp(std::chrono::seconds(years_1850_to_2600(random))));
    const Timestamp end = at("2150-01-01T00:00:00Z");
    for (Timestamp instant = at("1850-01-01T00:00:00Z"); instant < end; instant = ours.period_at(instant).end) {
        agree_at(instant);
        agree_at(instant - 1us);
    }
}

INSTANTIATE_TEST_SUITE_P(TimeZone, AgainstTheCLibrary,
                         ::testing::Values("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata",
                                           "Africa/Casablanca", "Pacific/Apia", "Europe/Dublin", "America/Nuuk",
                                           "Africa/Cairo", "Asia/Gaza", "Asia/Tehran", "America/Santiago",
                                           "Antarctica/Troll", "America/St_Johns", "Pacific/Chatham", "Asia/Manila",
                                           "Pacific/Kwajalein", "Africa/Monrovia", "Europe/Lisbon", "Etc/GMT+12"));

// ---- Rules --------------------------------------------------------------------------------------

TEST(TimeZoneRule, ReadsOffsetsAndChanges) {
    const auto rule = TimeZoneRule::parse("CET-1CEST,M3.5.0,M10.5.0/3");
    ASSERT_TRUE(rule && rule->summer);
    EXPECT_EQ(rule->offset, 1h);
    EXPECT_EQ(rule->summer->offset, 2h);
    EXPECT_EQ(rule->summer->begin.in(std::chrono::year(2026)), clocks("2026-03-29T02:00:00"));
    EXPECT_EQ(rule->summer->end.in(std::chrono::year(2026)), clocks("2026-10-25T03:00:00"));
    EXPECT_EQ(TimeZoneRule::parse("<+0330>-3:30")->offset, 3h + 30min);
    EXPECT_EQ(TimeZoneRule::parse("LMT0:53:28")->offset, -(53min + 28s));
    EXPECT_EQ(TimeZoneRule::parse("XXX3YYY2:30,0/-24,J365/25")->summer->offset, -(2h + 30min));
}

TEST(TimeZoneRule, CountsDaysWithAndWithoutTheLeapDay) {
    const auto rule = TimeZoneRule::parse("XXX0YYY,59/0,J60/-1");
    ASSERT_TRUE(rule);
    EXPECT_EQ(rule->summer->begin.in(std::chrono::year(2027)), clocks("2027-03-01T00:00:00"));
    EXPECT_EQ(rule->summer->begin.in(std::chrono::year(2028)), clocks("2028-02-29T00:00:00"));
    EXPECT_EQ(rule->summer->end.in(std::chrono::year(2027)), clocks("2027-02-28T23:00:00"));
    EXPECT_EQ(rule->summer->end.in(std::chrono::year(2028)), clocks("2028-02-29T23:00:00"));
}

TEST(TimeZoneRule, RefusesWhatIsNone) {
    for (const char* text : {"", "C", "CET", "CE-1", "CET-25", "CET-1:60", "<CET-1", "CET-1CEST", "CET-1CEST,M3.5.0",
                             "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.0.0,M10.5.0",
                             "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,J0,J1", "CET-1CEST,366,1", "CET-1CEST,1/168,2",
                             "CET-1CEST,1,2,", "CET-1CEST,1,2 ", "CET-99999999999999999999"})
        EXPECT_FALSE(TimeZoneRule::parse(text)) << text;
}

// ---- Files --------------------------------------------------------------------------------------

std::string number(std::uint64_t value, int width) {
    std::string bytes;
    for (int shift = 8 * (width - 1); shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
    return bytes;
}

/// A zone file with the given changes, all to the offsets of the same index.
struct FileText {
    char version = '2';
    std::vector<std::int64_t> times = {};
    std::vector<std::uint8_t> types = {};
    std::vector<std::int32_t> offsets = {0};
    std::uint32_t leap_seconds = 0;
    std::string footer = "\n\n";

    [[nodiscard]] std::string header(std::size_t time_count, std::size_t type_count) const {
        return concat("TZif", version, std::string(15, '\0'), number(0, 4), number(0, 4), number(leap_seconds, 4),
                      number(time_count, 4), number(type_count, 4), number(1, 4));
    }
    [[nodiscard]] std::string write() const {
        std::string text = header(0, 1) + std::string(6 + 1, '\0') + std::string(leap_seconds * 8, '\0');
        text += header(times.size(), offsets.size());
        for (const auto time : times) text += number(static_cast<std::uint64_t>(time), 8);
        for (const auto type : types) text += static_cast<char>(type);
        for (const auto offset : offsets)
            text += number(static_cast<std::uint32_t>(offset), 4) + std::string(2, '\0');
        return text + std::string(1 + leap_seconds * 12, '\0') + footer;
    }
};

std::string error_of(const std::string& bytes) {
    const auto read = TimeZone::parse(bytes);
    return read ? "" : read.error();
}

TEST(TimeZoneFile, WithoutChangesItsRuleHoldsAlways) {
    const auto read = TimeZone::parse(FileText{.footer = "\nCET-1CEST,M3.5.0,M10.5.0/3\n"}.write());
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(read->period_at(at("1500-07-01T00:00:00Z")).offset, 2h);
    EXPECT_EQ(read->period_at(at("2026-01-01T00:00:00Z")).offset, 1h);
}

TEST(TimeZoneFile, WithoutARuleTheLastChangeHolds) {
    const auto read =
        TimeZone::parse(FileText{.times = {0, 1000}, .types = {1, 2}, .offsets = {60, 3600, -7200}}.write());
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(read->period_at(Timestamp(-1us)).offset, 60s);
    EXPECT_EQ(read->period_at(Timestamp(0us)).offset, 1h);
    EXPECT_EQ(read->period_at(Timestamp(999s)).offset, 1h);
    EXPECT_EQ(read->period_at(Timestamp(1000s)).offset, -2h);
    EXPECT_EQ(read->period_at(Timestamp::max()).offset, -2h);
}

TEST(TimeZoneFile, ARuleCanSayThatSummerLastsAllYear) {
    const auto read = TimeZone::parse(FileText{.footer = "\nEST5EDT,0/0,J365/25\n"}.write());
    ASSERT_TRUE(read) << read.error();
    for (const char* instant :
         {"2027-01-01T03:59:59Z", "2027-01-01T04:00:00Z", "2027-01-01T05:00:00Z", "2027-07-01T00:00:00Z"})
        EXPECT_EQ(read->period_at(at(instant)).offset, -4h) << instant;
}

TEST(TimeZoneFile, ChangesBeforeAllYearsOnlySayWhatHoldsAtTheirBeginning) {
    const auto read = TimeZone::parse(FileText{
        .times = {INT64_MIN, -(std::int64_t{1} << 59), 0, INT64_MAX},
        .types = {0, 1, 2, 0},
        .offsets = {1, 2, 3}}.write());
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(read->period_at(Timestamp::min()).offset, 2s);
    EXPECT_EQ(read->period_at(Timestamp::max()).offset, 3s);
}

TEST(TimeZoneFile, EveryShortenedFileIsRefusedOrReadWithoutFault) {
    const std::string whole =
        FileText{.times = {0, 1000}, .types = {1, 0}, .offsets = {0, 3600}, .footer = "\nCET-1\n"}.write();
    ASSERT_EQ(error_of(whole), "");
    for (std::size_t length = 0; length < whole.size(); ++length)
        EXPECT_NE(error_of(whole.substr(0, length)), "") << length;
}

TEST(TimeZoneFile, SaysWhatIsWrong) {
    EXPECT_EQ(error_of("not a zone"), "is not a zone file");
    EXPECT_THAT(error_of(FileText{.version = '\0'}.write()), HasSubstr("version 1"));
    EXPECT_THAT(error_of(FileText{.offsets = {}}.write()), HasSubstr("no offset"));
    EXPECT_THAT(error_of(FileText{.times = {5, 5}, .types = {0, 0}}.write()), HasSubstr("not in order"));
    EXPECT_THAT(error_of(FileText{.times = {5}, .types = {1}}.write()), HasSubstr("does not name"));
    EXPECT_THAT(error_of(FileText{.offsets = {26 * 3600}}.write()), HasSubstr("an offset from UTC of 1d2h"));
    EXPECT_THAT(error_of(FileText{.leap_seconds = 1}.write()), HasSubstr("leap seconds"));
    EXPECT_THAT(error_of(FileText{.footer = "\nCET\n"}.write()), HasSubstr("\"CET\""));
    EXPECT_THAT(error_of(FileText{.footer = "CET-1\n"}.write()), HasSubstr("no rule"));
}

}  // namespace
}  // namespace holdfast::core
