#include <thread>

#include "store_contract/job_fixture.h"

namespace holdfast::contract {
namespace {

class JobSchedule : public JobContract {
protected:
    store::ScheduleDefinition nightly() {
        store::ScheduleDefinition schedule;
        schedule.name = "nightly";
        schedule.timing = R"({"cron":"0 3 * * *"})";
        schedule.definition = a_job(clock.now(), {a_flow({a_step("a")})}).definition;
        return schedule;
    }
    store::ScheduleRecord record_of(const std::string& name) {
        for (const auto& found : jobs->schedules())
            if (found.schedule.name == name) return found;
        ADD_FAILURE() << "no schedule " << name;
        return {};
    }
    store::FireParams slot(bool cancel_previous = false) {
        const auto known = record_of("nightly");
        store::FireParams params;
        params.schedule = "nightly";
        params.decided_until = known.decided_until;
        params.decide_until = known.decided_until + 24h;
        params.job = new_task_id(clock.now());
        params.cancel_previous = cancel_previous;
        params.who = "scheduler";
        return params;
    }
};
HOLDFAST_FOR_EVERY_STORE(JobSchedule);

TEST_P(JobSchedule, ANewOneCountsFromNowAndIsKept) {
    jobs->put_schedule(nightly(), "ann");
    const auto found = record_of("nightly");
    EXPECT_EQ(found.schedule, nightly());
    EXPECT_EQ(found.created_at, clock.now());
    EXPECT_EQ(found.decided_until, clock.now());
    EXPECT_FALSE(found.paused);
    EXPECT_TRUE(found.last_job.is_nil());
    EXPECT_FALSE(found.last_state.has_value());
}

TEST_P(JobSchedule, PutAgainUnchangedStaysAsItIs) {
    jobs->put_schedule(nightly(), "ann");
    clock.advance(1h);
    jobs->put_schedule(nightly(), "ann");
    EXPECT_EQ(record_of("nightly").decided_until, clock.now() - 1h);
}

TEST_P(JobSchedule, ASlotIsFiredAlsoByAClockThatWasSetBackBeyondWhatWasPruned) {
    complete(start({a_step("a")}), "a");
    clock.advance(25h);
    store::PruneParams old;
    old.terminal_older_than = 24h;
    old.clock_is_right = true;
    ASSERT_EQ(store->prune(old).jobs, 1);
    clock.advance(-26h);
    jobs->put_schedule(nightly(), "ann");
    const auto params = slot();
    EXPECT_TRUE(jobs->fire(params));
    EXPECT_EQ(state(*params.job), JobState::Pending);
}

TEST_P(JobSchedule, AnotherTimingCountsAnewAndAnotherInputDoesNot) {
    jobs->put_schedule(nightly(), "ann");
    clock.advance(1h);
    auto changed = nightly();
    changed.input = R"({"x":1})";
    jobs->put_schedule(changed, "ann");
    EXPECT_EQ(record_of("nightly").decided_until, clock.now() - 1h);
    changed.timing = R"({"cron":"0 4 * * *"})";
    jobs->put_schedule(changed, "ann");
    EXPECT_EQ(record_of("nightly").decided_until, clock.now());
    EXPECT_EQ(record_of("nightly").schedule, changed);
}

TEST_P(JobSchedule, FiresTheJobOfASlotOnce) {
    jobs->put_schedule(nightly(), "ann");
    const auto params = slot();
    EXPECT_TRUE(jobs->fire(params));
    EXPECT_FALSE(jobs->fire(params)) << "another scheduler has";
    EXPECT_EQ(state(*params.job), JobState::Pending);
    EXPECT_EQ(record_of("nightly").last_job, *params.job);
    EXPECT_EQ(record_of("nightly").last_state, JobState::Pending);
    EXPECT_EQ(record_of("nightly").decided_until, params.decide_until);
    EXPECT_THAT(jobs->list_jobs({}), SizeIs(1));
}

TEST_P(JobSchedule, ManySchedulersFireASlotOnce) {
    jobs->put_schedule(nightly(), "ann");
    const auto params = slot();
    std::atomic<int> fired = 0;
    std::vector<std::thread> schedulers;
    for (int i = 0; i < 8; ++i)
        schedulers.emplace_back([&] {
            const auto mine = open();
            if (mine->fire(params)) ++fired;
        });
    for (auto& scheduler : schedulers) scheduler.join();
    EXPECT_EQ(fired, 1);
    EXPECT_THAT(jobs->list_jobs({}), SizeIs(1));
}

TEST_P(JobSchedule, ASlotMayBeSkippedWithANote) {
    jobs->put_schedule(nightly(), "ann");
    auto params = slot();
    params.job.reset();
    params.note = "2 slots missed";
    EXPECT_TRUE(jobs->fire(params));
    EXPECT_THAT(jobs->list_jobs({}), IsEmpty());
    EXPECT_EQ(record_of("nightly").decided_until, params.decide_until);
    EXPECT_THAT(store->last_events(1).at(0).message, HasSubstr("2 slots missed"));
}

TEST_P(JobSchedule, TheJobBeforeCanBeCancelled) {
    jobs->put_schedule(nightly(), "ann");
    const auto first = slot();
    jobs->fire(first);
    const auto second = slot(true);
    EXPECT_TRUE(jobs->fire(second));
    EXPECT_EQ(state(*first.job), JobState::Cancelled);
    EXPECT_EQ(state(*second.job), JobState::Pending);
}

TEST_P(JobSchedule, APausedOneFiresNothing) {
    jobs->put_schedule(nightly(), "ann");
    EXPECT_TRUE(jobs->set_schedule_paused("nightly", true, "ann"));
    EXPECT_FALSE(jobs->fire(slot()));
    EXPECT_TRUE(jobs->set_schedule_paused("nightly", false, "ann"));
    EXPECT_TRUE(jobs->fire(slot()));
    EXPECT_FALSE(jobs->set_schedule_paused("other", true, "ann"));
}

TEST_P(JobSchedule, ARemovedOneIsGone) {
    jobs->put_schedule(nightly(), "ann");
    const auto params = slot();
    EXPECT_TRUE(jobs->remove_schedule("nightly", "ann"));
    EXPECT_FALSE(jobs->remove_schedule("nightly", "ann"));
    EXPECT_FALSE(jobs->fire(params));
    EXPECT_THAT(jobs->schedules(), IsEmpty());
}

TEST_P(JobSchedule, WhoseJobIsNotAcceptedMovesOnAndSaysSo) {
    auto bad = nightly();
    bad.definition = "{}";
    jobs->put_schedule(bad, "ann");
    const auto params = slot();
    EXPECT_TRUE(jobs->fire(params));
    EXPECT_TRUE(record_of("nightly").last_job.is_nil());
    EXPECT_EQ(record_of("nightly").decided_until, params.decide_until);
    EXPECT_EQ(store->last_events(1).at(0).kind, "schedule_refused");
}

}  // namespace
}  // namespace holdfast::contract
