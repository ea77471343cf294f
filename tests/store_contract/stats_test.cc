#include <numeric>

#include "store_contract/job_fixture.h"

namespace holdfast::contract {
namespace {

store::EventRecord an_audit(std::string message) {
    store::EventRecord event;
    event.kind = "audit";
    event.who = "ann";
    event.message = std::move(message);
    return event;
}

class Stats : public JobContract {
protected:
    /// Runs a task of this name for so long.
    Uuid run(const std::string& name, Duration length, bool succeeds = true, Duration waits = Duration::zero()) {
        submit(a_task(clock.now(), name));
        clock.advance(waits);
        const auto lease = claim_one(worker);
        clock.advance(length);
        finish(*store, worker, succeeds ? completed(lease) : failed(lease));
        return lease.task;
    }
    store::Stats stats(Duration window = 1h, int buckets = 60) {
        return store->stats({.window = window, .buckets = buckets});
    }
    static std::int64_t sum(const store::Stats& stats, std::int64_t store::StatsBucket::*member) {
        return std::accumulate(stats.buckets.begin(), stats.buckets.end(), std::int64_t{0},
                               [&](std::int64_t so_far, const auto& bucket) { return so_far + bucket.*member; });
    }
};
HOLDFAST_FOR_EVERY_STORE(Stats);

TEST_P(Stats, OfAnEmptyStoreAreAllZero) {
    const auto found = stats(1h, 4);
    ASSERT_THAT(found.buckets, SizeIs(4));
    EXPECT_EQ(found.buckets[0].at, clock.now() - 1h);
    EXPECT_EQ(found.buckets[3].at, clock.now() - 15min);
    EXPECT_EQ(found.ended, 0);
    EXPECT_EQ(found.run, store::Percentiles());
    EXPECT_EQ(found.wait, store::Percentiles());
    EXPECT_THAT(found.names, IsEmpty());
    EXPECT_TRUE(found.complete);
}

TEST_P(Stats, CountEndsInTheBucketsOfTheirTimes) {
    run("one", 1s);
    run("one", 1s, false);
    clock.advance(30min);
    const Uuid cancelled = submit();
    cancel(*store, cancelled);
    auto overdue = a_task(clock.now());
    overdue.deadline = clock.now() + 1s;
    submit(overdue);
    clock.advance(2s);
    store->expire_overdue(10);
    clock.advance(5min);
    const auto found = stats(1h, 2);
    EXPECT_EQ(found.ended, 4);
    EXPECT_EQ(found.buckets[0].completed, 1);
    EXPECT_EQ(found.buckets[0].failed, 1);
    EXPECT_EQ(found.buckets[0].cancelled + found.buckets[0].expired, 0);
    EXPECT_EQ(found.buckets[1].completed + found.buckets[1].failed, 0);
    EXPECT_EQ(found.buckets[1].cancelled, 1);
    EXPECT_EQ(found.buckets[1].expired, 1);
}

TEST_P(Stats, LeaveOutWhatEndedBeforeTheWindow) {
    run("old", 1s);
    clock.advance(10min);
    run("new", 1s);
    const auto found = stats(10min, 10);
    EXPECT_EQ(found.ended, 1);
    ASSERT_THAT(found.names, SizeIs(1));
    EXPECT_EQ(found.names[0].name, "new");
    EXPECT_EQ(found.buckets.back().completed, 1);
}

TEST_P(Stats, CountATaskThatWasSubmittedLongBeforeItEnded) {
    run("slow", 26h);
    EXPECT_EQ(stats(1h, 1).ended, 1);
}

TEST_P(Stats, SayHowLongTasksWaitedAndRan) {
    for (int i = 1; i <= 100; ++i) run("one", std::chrono::milliseconds(10 * i), true, std::chrono::milliseconds(i));
    const auto found = stats();
    EXPECT_EQ(found.run, (store::Percentiles{500ms, 950ms, 990ms, 1s}));
    EXPECT_EQ(found.wait, (store::Percentiles{50ms, 95ms, 99ms, 100ms}));
}

TEST_P(Stats, SayWhatEndedMostOftenByName) {
    for (int i = 0; i < 25; ++i)
        for (int times = 0; times <= i / 5; ++times) run("name" + std::to_string(i), std::chrono::seconds(i + 1));
    run("name24", 1min, false);
    const auto found = stats(24h);
    ASSERT_THAT(found.names, SizeIs(20));
    EXPECT_EQ(found.names[0].name, "name24");
    EXPECT_EQ(found.names[0].completed, 5);
    EXPECT_EQ(found.names[0].failed, 1);
    EXPECT_EQ(found.names[0].run, (store::Percentiles{25s, 1min, 1min, 1min}));
    EXPECT_EQ(found.names.back().completed, 2);
}

TEST_P(Stats, CountRecoveriesByTheirEvents) {
    submit(requeued_on_crash(a_task(clock.now())));
    recover(*store, crash_verdict(claim_one(worker)));
    store->mark_lost({{.worker = worker, .beat = 0, .who = "sweeper", .evidence = "gone", .data = "{}"}});
    store->append_event(an_audit("no recovery"));
    EXPECT_EQ(sum(stats(), &store::StatsBucket::recovered), 2);
    clock.advance(2h);
    EXPECT_EQ(sum(stats(), &store::StatsBucket::recovered), 0);
}

TEST_P(Stats, OfAnImpossibleWindowAreThoseOfTheNearestPossible) {
    run("one", 1s);
    EXPECT_THAT(stats(1s, 0).buckets, SizeIs(1));
    EXPECT_EQ(stats(1s, 1).buckets[0].at, clock.now() - 1min);
    EXPECT_THAT(stats(24h * 365, 1000).buckets, SizeIs(200));
    EXPECT_EQ(stats(24h * 365, 1).buckets[0].at, clock.now() - 24h * 7);
}

TEST_P(Stats, CountJobsByTheirStates) {
    EXPECT_EQ(store->count_jobs(), store::JobCounts());
    start({a_step("one")});
    const Uuid running = start({a_step("two")});
    complete(running, "two");
    const Uuid failing = start({a_step("three")});
    fail(failing, "three");
    cancel_job(start({approval_step("yes", "sure?")}));
    pause(start({approval_step("yes", "sure?")}));
    const auto counts = store->count_jobs();
    EXPECT_EQ(counts.completed, 1);
    EXPECT_EQ(counts.failed, 1);
    EXPECT_EQ(counts.cancelled, 1);
    EXPECT_EQ(counts.paused, 1);
    EXPECT_EQ(counts.pending + counts.running, 1);
}

class Vitals : public JobContract {};
HOLDFAST_FOR_EVERY_STORE(Vitals);

TEST_P(Vitals, OfAnEmptyStoreShowsNothing) {
    const auto vitals = store->vitals();
    EXPECT_FALSE(vitals.oldest_waits);
    EXPECT_TRUE(vitals.oldest_task.is_nil());
    EXPECT_EQ(vitals.approvals, 0);
}

TEST_P(Vitals, FindsTheTaskThatCouldHaveRunForLongestInAnyQueueAndPriority) {
    const Uuid oldest = submit(with_priority(a_task(clock.now()), 90));
    clock.advance(1s);
    submit(with_priority(a_task(clock.now()), 10));
    submit(with_key(a_task(clock.now()), "k"));
    auto elsewhere = a_task(clock.now());
    elsewhere.queue = "elsewhere";
    submit(elsewhere);
    clock.advance(1min);
    EXPECT_EQ(store->vitals().oldest_task, oldest);
    EXPECT_EQ(store->vitals().oldest_waits, Duration(61s));
    cancel(*store, oldest);
    EXPECT_EQ(store->vitals().oldest_waits, Duration(1min));
}

TEST_P(Vitals, FindsATaskWithAKey) {
    const Uuid keyed = submit(with_key(a_task(clock.now()), "k"));
    clock.advance(1s);
    submit();
    EXPECT_EQ(store->vitals().oldest_task, keyed);
}

TEST_P(Vitals, CountsATaskWhoseTimeHasComeAndNoneWhoseTimeHasNot) {
    auto task = a_task(clock.now());
    task.run_at = clock.now() + 1min;
    submit(task);
    EXPECT_FALSE(store->vitals().oldest_waits);
    clock.advance(90s);
    EXPECT_EQ(store->vitals().oldest_task, task.id);
    EXPECT_EQ(store->vitals().oldest_waits, Duration(30s));
}

TEST_P(Vitals, LeavesOutPausedQueuesAndWhatIsClaimed) {
    submit();
    store->set_queue_paused("default", true, "ann");
    EXPECT_FALSE(store->vitals().oldest_waits);
    store->set_queue_paused("default", false, "ann");
    EXPECT_TRUE(store->vitals().oldest_waits);
    claim_one(worker);
    EXPECT_FALSE(store->vitals().oldest_waits);
}

TEST_P(Vitals, CountsStepsThatWaitForADecision) {
    const Uuid first = start({approval_step("yes", "sure?"), wait_step("later", "1h"), a_step("work")});
    auto each = approval_step("each", "sure?");
    each.for_each = nlohmann::json({1, 2, 3});
    start({each});
    EXPECT_EQ(store->vitals().approvals, 4);
    store->decide_approval({.job = first, .step = "yes", .approve = true, .who = "ann", .reason = ""});
    EXPECT_EQ(store->vitals().approvals, 3);
}

class AppendedEvents : public StoreContract {};
HOLDFAST_FOR_EVERY_STORE(AppendedEvents);

TEST_P(AppendedEvents, AreKeptAsTheyWereSaid) {
    const Uuid task = submit(), person = random_uuid(), job = random_uuid();
    store->append_event({.id = 999'999,
                         .at = clock.now() - 1h,
                         .kind = "audit",
                         .task = task,
                         .worker = person,
                         .who = "ann from 127.0.0.1",
                         .message = "cancelled it",
                         .data = R"({"from": "127.0.0.1"})",
                         .job = job});
    const auto events = store->events({.task = task, .worker = std::nullopt, .after_id = 0, .limit = 10});
    ASSERT_THAT(events, SizeIs(1));
    EXPECT_NE(events[0].id, 999'999);
    EXPECT_EQ(events[0].at, clock.now());
    EXPECT_EQ(events[0].kind, "audit");
    EXPECT_EQ(events[0].worker, person);
    EXPECT_EQ(events[0].job, job);
    EXPECT_EQ(events[0].who, "ann from 127.0.0.1");
    EXPECT_EQ(events[0].message, "cancelled it");
    EXPECT_EQ(events[0].data, R"({"from": "127.0.0.1"})");
}

TEST_P(AppendedEvents, ThatCannotBeStoredAreMadeReadable) {
    auto unreadable = an_audit(std::string("a\0b", 3));
    unreadable.who = "\xff";
    unreadable.data = "{broken";
    store->append_event(unreadable);
    const auto event = store->last_events(1).at(0);
    EXPECT_EQ(event.who, "\xEF\xBF\xBD");
    EXPECT_EQ(event.message,
              "a\xEF\xBF\xBD"
              "b");
    EXPECT_EQ(nlohmann::json::parse(event.data).at("unreadable"), "{broken");
}

TEST_P(AppendedEvents, GetGrowingIds) {
    for (int i = 0; i < 5; ++i) store->append_event(an_audit(std::to_string(i)));
    const auto events = store->events({.task = std::nullopt, .worker = std::nullopt, .after_id = 0, .limit = 10});
    ASSERT_THAT(events, SizeIs(5));
    for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(events[i].message, std::to_string(i));
}

}  // namespace
}  // namespace holdfast::contract
