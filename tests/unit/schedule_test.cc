#include "core/calendar/schedule.h"

#include <gmock/gmock.h>

#include <set>

#include "base/ids.h"
#include "base/text.h"
#include "platform/zone_files.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;
using std::chrono::days;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ScheduleTiming by_cron(std::string_view cron, std::string zone = "UTC") {
    return {.cron = Cron::parse(cron).value(), .zone = std::move(zone)};
}
ScheduleTiming every(Duration interval) {
    return {.interval = interval};
}
Timestamp at(std::string_view text) {
    return *parse_timestamp(text);
}

std::vector<std::string> slots(const ScheduleTiming& timing, int count, std::string_view after) {
    const TimeZone zone = platform::read_zone(timing.zone).value();
    std::vector<std::string> found;
    Timestamp last = at(after);
    for (; count > 0; --count) {
        const auto slot = next_slot(timing, zone, last);
        found.push_back(slot ? format_timestamp(*slot) : "never");
        if (slot) last = *slot;
    }
    return found;
}

// ---- Slots of crons -----------------------------------------------------------------------------

TEST(Schedule, SlotsAreStrictlyAfter) {
    const ScheduleTiming noon = by_cron("0 12 * * *");
    EXPECT_THAT(slots(noon, 1, "2026-11-15T11:59:59.999999Z"), ElementsAre("2026-11-15T12:00:00Z"));
    EXPECT_THAT(slots(noon, 1, "2026-11-15T12:00:00Z"), ElementsAre("2026-11-16T12:00:00Z"));
    EXPECT_THAT(slots(by_cron("* * * * *"), 1, "2026-11-15T12:00:00Z"), ElementsAre("2026-11-15T12:01:00Z"));
}

TEST(Schedule, ATimeInASpringGapComesRightAfterItOnce) {
    EXPECT_THAT(slots(by_cron("30 2 * * *", "Europe/Berlin"), 3, "2026-03-28T00:00:00Z"),
                ElementsAre("2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"));
    EXPECT_THAT(
        slots(by_cron("*/20 2,3 * * *", "Europe/Berlin"), 4, "2026-03-28T12:00:00Z"),
        ElementsAre("2026-03-29T01:00:00Z", "2026-03-29T01:20:00Z", "2026-03-29T01:40:00Z", "2026-03-30T00:00:00Z"));
    EXPECT_THAT(slots(by_cron("15 2 * * *", "Australia/Lord_Howe"), 2, "2026-10-03T12:00:00Z"),
                ElementsAre("2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z"));
}

TEST(Schedule, ATimeThatAutumnRepeatsComesOnceTheFirstTime) {
    EXPECT_THAT(slots(by_cron("30 2 * * *", "Europe/Berlin"), 3, "2026-10-24T12:00:00Z"),
                ElementsAre("2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z", "2026-10-27T01:30:00Z"));
    EXPECT_THAT(slots(by_cron("30 2 * * *", "Europe/Berlin"), 1, "2026-10-25T01:10:00Z"),
                ElementsAre("2026-10-26T01:30:00Z"));
    EXPECT_THAT(slots(by_cron("45 1 * * *", "Australia/Lord_Howe"), 2, "2026-04-04T12:00:00Z"),
                ElementsAre("2026-04-04T14:45:00Z", "2026-04-05T15:15:00Z"));
}

TEST(Schedule, ACronOfEveryHourNeitherRestsNorDoubles) {
    const ScheduleTiming half_past = by_cron("30 * * * *", "Europe/Berlin");
    EXPECT_THAT(slots(half_past, 3, "2026-03-29T00:00:00Z"),
                ElementsAre("2026-03-29T00:30:00Z", "2026-03-29T01:30:00Z", "2026-03-29T02:30:00Z"));
    EXPECT_THAT(
        slots(half_past, 4, "2026-10-24T23:00:00Z"),
        ElementsAre("2026-10-24T23:30:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00Z"));
}

TEST(Schedule, ADayThatTheDateLineSwallowsComesRightAfterIt) {
    EXPECT_THAT(slots(by_cron("0 12 30 12 *", "Pacific/Apia"), 2, "2011-01-01T00:00:00Z"),
                ElementsAre("2011-12-30T10:00:00Z", "2012-12-29T22:00:00Z"));
}

TEST(Schedule, SlotsOfTheFarFutureFollowTheRuleOfTheZone) {
    EXPECT_THAT(slots(by_cron("0 9 1 1,7 *", "America/New_York"), 2, "2499-12-01T00:00:00Z"),
                ElementsAre("2500-01-01T14:00:00Z", "2500-07-01T13:00:00Z"));
    EXPECT_THAT(slots(by_cron("0 0 29 2 *", "Asia/Kolkata"), 2, "2096-03-01T00:00:00Z"),
                ElementsAre("2104-02-28T18:30:00Z", "2108-02-28T18:30:00Z"));
}

TEST(Schedule, NoSlotComesAfterTheYear9999) {
    EXPECT_THAT(slots(by_cron("0 0 1 1 *"), 1, "9999-01-01T00:00:00Z"), ElementsAre("never"));
    EXPECT_THAT(slots(by_cron("* * * * *", "America/New_York"), 1, "9999-12-31T23:59:30Z"), ElementsAre("never"));
    EXPECT_EQ(next_slot(by_cron("* * * * *"), TimeZone::utc(), Timestamp::max()), std::nullopt);
    EXPECT_EQ(next_slot(every(1s), TimeZone::utc(), Timestamp::max()), std::nullopt);
    EXPECT_EQ(next_slot(every(1s), TimeZone::utc(), Timestamp::min()), first_instant + 1s);
}

// ---- Slots of intervals -------------------------------------------------------------------------

TEST(Schedule, IntervalsCountFrom1970InUtcWhateverTheZone) {
    ScheduleTiming timing = every(90min);
    timing.zone = "Europe/Berlin";
    EXPECT_THAT(slots(timing, 3, "2026-03-29T00:00:00Z"),
                ElementsAre("2026-03-29T01:30:00Z", "2026-03-29T03:00:00Z", "2026-03-29T04:30:00Z"));
    EXPECT_THAT(slots(every(7s), 2, "1970-01-01T00:00:07Z"),
                ElementsAre("1970-01-01T00:00:14Z", "1970-01-01T00:00:21Z"));
    EXPECT_THAT(slots(every(7s), 3, "1969-12-31T23:59:50Z"),
                ElementsAre("1969-12-31T23:59:53Z", "1970-01-01T00:00:00Z", "1970-01-01T00:00:07Z"));
}

// ---- What is due --------------------------------------------------------------------------------

std::vector<std::string> due(const DueSlots& due) {
    std::vector<std::string> found;
    for (const Timestamp slot : due.slots) found.push_back(format_timestamp(slot).substr(11, 8));
    return found;
}
DueSlots due_between(ScheduleTiming timing, int catch_up, std::string_view last, std::string_view now) {
    timing.catch_up = catch_up;
    return due_slots(timing, TimeZone::utc(), at(last), at(now));
}

TEST(DueSlots, NothingIsDueBeforeTheNextSlotOrWhenTheClockWentBack) {
    const ScheduleTiming hourly = by_cron("@hourly");
    EXPECT_THAT(due(due_between(hourly, 5, "2026-11-15T12:00:00Z", "2026-11-15T12:59:59Z")), IsEmpty());
    EXPECT_THAT(due(due_between(hourly, 5, "2026-11-15T12:00:00Z", "2026-11-15T12:00:00Z")), IsEmpty());
    EXPECT_THAT(due(due_between(hourly, 5, "2026-11-15T12:00:00Z", "2026-11-15T09:00:00Z")), IsEmpty());
}

TEST(DueSlots, ASlotOnTimeRunsEvenIfNothingIsMadeUpFor) {
    const ScheduleTiming hourly = by_cron("@hourly");
    EXPECT_THAT(due(due_between(hourly, 0, "2026-11-15T12:00:00Z", "2026-11-15T13:00:00Z")), ElementsAre("13:00:00"));
    EXPECT_THAT(due(due_between(hourly, 0, "2026-11-15T12:00:00Z", "2026-11-15T13:00:59Z")), ElementsAre("13:00:00"));
    const DueSlots late = due_between(hourly, 0, "2026-11-15T12:00:00Z", "2026-11-15T13:01:00Z");
    EXPECT_THAT(due(late), IsEmpty());
    EXPECT_EQ(late.given_up, 1);
}

TEST(DueSlots, TheNewestMissedSlotsAreMadeUpForAndTheOthersCounted) {
    const ScheduleTiming hourly = by_cron("@hourly");
    const DueSlots two = due_between(hourly, 2, "2026-11-15T02:00:00Z", "2026-11-15T12:30:00Z");
    EXPECT_THAT(due(two), ElementsAre("11:00:00", "12:00:00"));
    EXPECT_EQ(two.given_up, 8);
    const DueSlots with_one_on_time = due_between(hourly, 2, "2026-11-15T02:00:00Z", "2026-11-15T12:00:30Z");
    EXPECT_THAT(due(with_one_on_time), ElementsAre("10:00:00", "11:00:00", "12:00:00"));
    EXPECT_EQ(with_one_on_time.given_up, 7);
    const DueSlots all = due_between(hourly, 100, "2026-11-15T09:00:00Z", "2026-11-15T12:30:00Z");
    EXPECT_THAT(due(all), ElementsAre("10:00:00", "11:00:00", "12:00:00"));
    EXPECT_EQ(all.given_up, 0);
}

TEST(DueSlots, IntervalsAreMadeUpForLikeCrons) {
    const DueSlots two = due_between(every(10s), 1, "2026-11-15T12:00:00Z", "2026-11-15T12:01:05Z");
    EXPECT_THAT(due(two), ElementsAre("12:00:50", "12:01:00"));
    EXPECT_EQ(two.given_up, 4);
}

TEST(DueSlots, ASlotWhoseRunWaitsForItsJitterIsOnTime) {
    ScheduleTiming hourly = by_cron("@hourly");
    hourly.jitter = 59min;
    EXPECT_THAT(due(due_between(hourly, 0, "2026-11-15T12:00:00Z", "2026-11-15T13:59:59Z")), ElementsAre("13:00:00"));
    EXPECT_THAT(due(due_between(hourly, 0, "2026-11-15T12:00:00Z", "2026-11-15T14:00:00Z")), ElementsAre("14:00:00"));
    EXPECT_EQ(due_between(hourly, 0, "2026-11-15T12:00:00Z", "2026-11-15T14:00:00Z").given_up, 1);
}

TEST(DueSlots, AnOutageOfYearsIsLookedAtQuickly) {
    const DueSlots minutes = due_between(by_cron("* * * * *"), 3, "2006-01-01T00:00:00Z", "2026-01-01T00:00:30Z");
    EXPECT_THAT(due(minutes), ElementsAre("23:57:00", "23:58:00", "23:59:00", "00:00:00"));
    EXPECT_EQ(minutes.given_up, DueSlots::max_counted);
    const DueSlots leap_days = due_between(by_cron("0 0 29 2 *"), 1, "1900-01-01T00:00:00Z", "2026-01-01T00:00:00Z");
    EXPECT_THAT(leap_days.slots, ElementsAre(at("2024-02-29T00:00:00Z")));
    EXPECT_EQ(leap_days.given_up, 30);
}

// ---- Ids and jitter -----------------------------------------------------------------------------

TEST(Slot, ItsIdCarriesItsInstantAndIsTheSameInEveryProcess) {
    const Timestamp slot = at("2026-11-15T02:30:00Z");
    const Timestamp made_at = at("2026-11-14T12:00:00Z");
    const Uuid id = slot_id("nightly", made_at, slot);
    EXPECT_EQ(id.unix_milliseconds(), slot.time_since_epoch() / 1ms);
    EXPECT_EQ(id, name_based_uuid(slot, "1794657600000000 nightly"));
    EXPECT_NE(id, slot_id("nightly", made_at, slot + 1min));
    EXPECT_NE(id, slot_id("weekly", made_at, slot));
}

TEST(Slot, OfAScheduleThatWasMadeAnewHasAnotherId) {
    const Timestamp slot = at("2026-11-15T02:30:00Z");
    EXPECT_NE(slot_id("nightly", slot - 1h, slot), slot_id("nightly", slot - 1h + Duration(1), slot));
}

TEST(Slot, WithoutJitterItFiresAtItsInstant) {
    EXPECT_EQ(fires_at(by_cron("@daily"), "nightly", at("2026-11-15T00:00:00Z")), at("2026-11-15T00:00:00Z"));
}

TEST(Slot, JitterIsSpreadEvenlyAndTheSameInEveryProcess) {
    ScheduleTiming timing = by_cron("@daily");
    timing.jitter = 10min;
    std::array<int, 10> runs_of_minute{};
    for (int day = 0; day < 10'000; ++day) {
        const Timestamp slot = at("2000-01-01T00:00:00Z") + days(day);
        const Duration shift = fires_at(timing, "nightly", slot) - slot;
        ASSERT_GE(shift, 0us);
        ASSERT_LT(shift, 10min);
        ++runs_of_minute.at(static_cast<std::size_t>(shift / 1min));
    }
    for (const int runs : runs_of_minute) EXPECT_NEAR(runs, 1000, 150);  // five standard deviations
    const Timestamp slot = at("2026-11-15T00:00:00Z");
    EXPECT_NE(fires_at(timing, "nightly", slot), fires_at(timing, "weekly", slot));
    EXPECT_EQ(format_timestamp(fires_at(timing, "nightly", slot)), "2026-11-15T00:03:23.998492Z");
}

// ---- Defects and text ---------------------------------------------------------------------------

TEST(ScheduleTiming, SaysWhatIsWrongWithIt) {
    const auto defect = [](ScheduleTiming timing, auto change) {
        change(timing);
        return timing_defect(timing);
    };
    const auto nothing = [](ScheduleTiming&) {};
    EXPECT_EQ(defect(by_cron("@daily"), nothing), "");
    EXPECT_EQ(defect(every(1s), nothing), "");
    EXPECT_EQ(defect(every(days(365)), nothing), "");
    EXPECT_EQ(defect({}, nothing), "a schedule must have a cron or an interval");
    EXPECT_EQ(defect(by_cron("@daily"), [](auto& t) { t.interval = 1h; }),
              "a schedule must have a cron or an interval, not both");
    for (const Duration wrong :
         {Duration(0s), Duration(999ms), Duration(-1h), Duration(days(365) + 1ms), Duration(1s + 1us)})
        EXPECT_THAT(defect(every(wrong), nothing), HasSubstr("interval must be from 1s to 365d")) << wrong.count();
    EXPECT_EQ(defect(every(1h), [](auto& t) { t.jitter = 1h - 1ms; }), "");
    for (const Duration wrong : {Duration(1h), Duration(-1ms), Duration(1us)})
        EXPECT_THAT(defect(every(1h), [&](auto& t) { t.jitter = wrong; }), HasSubstr("jitter must be"))
            << wrong.count();
    EXPECT_EQ(defect(by_cron("@daily"), [](auto& t) { t.jitter = 24h - 1ms; }), "");
    EXPECT_THAT(defect(by_cron("*/10 * * * *"), [](auto& t) { t.jitter = 10min; }), HasSubstr("two slots, 10m"));
    for (const int wrong : {-1, 1001})
        EXPECT_THAT(defect(every(1h), [&](auto& t) { t.catch_up = wrong; }), HasSubstr("catch_up must be"));
    EXPECT_THAT(defect(every(1h), [](auto& t) { t.zone.clear(); }), HasSubstr("zone must be"));
}

TEST(ScheduleText, IsReadBackAsItWasWritten) {
    ScheduleTiming full = by_cron("30 2 * * Mon-fri", "Europe/Berlin");
    full.jitter = 60s;
    full.catch_up = 0;
    full.overlap = Overlap::CancelPrevious;
    EXPECT_EQ(to_json_text(full), R"({"catch_up":0,"cron":"30 2 * * Mon-fri","jitter_ms":60000,)"
                                  R"("overlap":"cancel_previous","zone":"Europe/Berlin"})");
    EXPECT_EQ(to_json_text(every(90s)), R"({"interval_ms":90000})");
    for (const ScheduleTiming& timing : {full, every(90s), by_cron("@daily")})
        EXPECT_EQ(parse_timing(to_json_text(timing)).value(), timing);
}

TEST(ScheduleText, ErrorsNameTheKey) {
    const auto error_of = [](std::string_view text) {
        const auto read = parse_timing(text);
        return read ? "" : read.error();
    };
    EXPECT_THAT(error_of(""), HasSubstr("must be a JSON object"));
    EXPECT_THAT(error_of("[]"), HasSubstr("must be a JSON object"));
    EXPECT_THAT(error_of("{}"), HasSubstr("must have a cron or an interval"));
    EXPECT_THAT(error_of(R"({"cron":"x"})"), HasSubstr("five fields"));
    EXPECT_THAT(error_of(R"({"cron":5})"), HasSubstr("cron must be a text, not 5"));
    EXPECT_THAT(error_of(R"({"interval_ms":1.5})"), HasSubstr("interval_ms must be a whole number"));
    EXPECT_THAT(error_of(R"({"interval_ms":18446744073709551615})"), HasSubstr("interval_ms must be a whole number"));
    EXPECT_THAT(error_of(R"({"interval_ms":-1})"), HasSubstr("interval_ms must be a whole number"));
    EXPECT_THAT(error_of(R"({"interval_ms":1})"), HasSubstr("interval must be from"));
    EXPECT_THAT(error_of(R"({"interval_ms":5000,"catch_up":"a"})"),
                HasSubstr("catch_up must be a whole number, not \"a\""));
    EXPECT_THAT(error_of(R"({"interval_ms":5000,"overlap":"queue"})"),
                HasSubstr("overlap must be \"allow\", \"skip\" or"));
    EXPECT_THAT(error_of(R"({"interval_ms":5000,"zone":1})"), HasSubstr("zone must be a text"));
    EXPECT_THAT(error_of(R"({"every":5000})"), HasSubstr("unknown key \"every\""));
}

}  // namespace
}  // namespace holdfast::core
