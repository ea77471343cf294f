#include <gmock/gmock.h>

#include "core/calendar/schedule.h"
#include "tests/engine/job_world.h"

namespace holdfast::engine::testing {
namespace {

using std::chrono::minutes;
using ::testing::Contains;
using ::testing::HasSubstr;

struct Schedules : JobWorld {
    void put(const core::ScheduleTiming& timing) {
        const auto flow = workflow("flow", {step("a")});
        store->put_schedule({.name = "nightly",
                             .timing = core::to_json_text(timing),
                             .definition = core::to_json_text(core::bundle_of("flow", {{"flow", flow}})),
                             .input = "{}"},
                            "test");
    }
    [[nodiscard]] std::size_t jobs() { return store->list_jobs({.limit = 1000}).size(); }
    [[nodiscard]] static core::ScheduleTiming every(Duration interval) {
        core::ScheduleTiming timing;
        timing.interval = interval;
        return timing;
    }
};

TEST_F(Schedules, EverySlotStartsOneJob) {
    put(every(minutes(1)));
    EXPECT_EQ(sweep_for(minutes(10)).fired, 10U);
    EXPECT_EQ(jobs(), 10U);
}

TEST_F(Schedules, TwoSchedulersAndATakeOverStartEachSlotOnce) {
    put(every(minutes(1)));
    auto second = make_sweeper("second");
    for (int second_of = 0; second_of < 600; ++second_of) {
        pass(seconds(1));
        sweep();
        sweep(*second);
        Scheduler(*store, settings.zones, "by hand").run_once();
        if (second_of == 300) sweeper->give_up();
    }
    EXPECT_EQ(jobs(), 10U);
}

TEST_F(Schedules, AfterAnOutageTheNewestMissedSlotIsMadeUpForAndTheRestIsTold) {
    put(every(minutes(1)));
    pass(minutes(30) + seconds(59));
    sweep();
    EXPECT_EQ(jobs(), 2U) << "the one that is on time, and one of those that were missed";
    std::vector<std::string> messages;
    for (const auto& event : store->last_events(100)) messages.push_back(event.message);
    EXPECT_THAT(messages, Contains(HasSubstr("missed")));
}

TEST_F(Schedules, WithoutCatchUpNothingIsMadeUpFor) {
    auto timing = every(minutes(10));
    timing.catch_up = 0;
    put(timing);
    pass(minutes(35));
    sweep();
    EXPECT_EQ(jobs(), 0U);
    sweep_for(minutes(6));
    EXPECT_EQ(jobs(), 1U);
}

TEST_F(Schedules, ASlotIsSkippedWhileTheLastJobRunsIfOverlapSaysSo) {
    auto timing = every(minutes(1));
    timing.overlap = core::Overlap::Skip;
    put(timing);
    settings.unmatched_grace = std::chrono::hours(1);
    sweeper = make_sweeper("patient");
    sweep_for(minutes(5));
    EXPECT_EQ(jobs(), 1U);
    run_all(add_hand("w"));
    sweep_for(minutes(1));
    EXPECT_EQ(jobs(), 2U);
}

TEST_F(Schedules, TheLastJobIsCancelledIfOverlapSaysSo) {
    auto timing = every(minutes(1));
    timing.overlap = core::Overlap::CancelPrevious;
    put(timing);
    settings.unmatched_grace = std::chrono::hours(1);
    sweeper = make_sweeper("patient");
    sweep_for(minutes(3));
    const auto all = store->list_jobs({.limit = 10});
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].state, JobState::Pending);
    EXPECT_EQ(all[1].state, JobState::Cancelled);
    EXPECT_EQ(all[2].state, JobState::Cancelled);
}

TEST_F(Schedules, APausedOneStartsNothingAndGoesOnWhenItIsResumed) {
    put(every(minutes(1)));
    EXPECT_TRUE(store->set_schedule_paused("nightly", true, "test"));
    sweep_for(minutes(5));
    EXPECT_EQ(jobs(), 0U);
    EXPECT_TRUE(store->set_schedule_paused("nightly", false, "test"));
    sweep_for(minutes(2));
    EXPECT_EQ(jobs(), 2U) << "what the pause left out was not missed";
}

TEST_F(Schedules, OneWhoseZoneIsUnknownIsToldOfAndKeepsNobodyFromTheirs) {
    auto timing = core::ScheduleTiming();
    timing.cron = core::Cron::parse("* * * * *").value();
    timing.zone = "Europe/Nowhere";
    put(timing);
    auto other = every(minutes(1));
    const auto flow = workflow("flow", {step("a")});
    store->put_schedule({.name = "other",
                         .timing = core::to_json_text(other),
                         .definition = core::to_json_text(core::bundle_of("flow", {{"flow", flow}})),
                         .input = "{}"},
                        "test");
    const auto report = sweep_for(minutes(2));
    EXPECT_GT(report.skipped, 0U);
    EXPECT_EQ(report.fired, 2U);
    EXPECT_THAT(report.remarks, Contains(HasSubstr("Europe/Nowhere")));
}

}  // namespace
}  // namespace holdfast::engine::testing
