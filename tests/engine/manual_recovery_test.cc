#include "engine/recovery/manual_recovery.h"

#include <gmock/gmock.h>

#include "core/task/task_spec.h"
#include "tests/engine/recovery_world.h"

namespace holdfast::engine::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct ByHand : RecoveryWorld {
    ManualAnswer fail_running(Duration threshold) {
        return fail_stale_running(*store, random, {.threshold = threshold, .who = "ann"});
    }
    ManualAnswer requeue_claimed(Duration threshold) {
        return requeue_stale_claimed(*store, random, {.threshold = threshold, .who = "ann"});
    }
    /// A task that runs on a worker which then falls silent.
    Uuid running_task(const std::function<void(store::NewTask&)>& change = [](store::NewTask&) {}) {
        const Uuid worker = add_worker("w");
        const Uuid id = submit(change);
        claim(worker, 1);
        return id;
    }
};

TEST_F(ByHand, ATaskIsStaleWhenItWasQuietForLongerThanTheThresholdAndNotBefore) {
    const Uuid id = running_task();
    pass(seconds(60));
    EXPECT_THAT(find_stale(*store, seconds(60)), IsEmpty());
    pass(std::chrono::microseconds(1));
    const auto stale = find_stale(*store, seconds(60));
    ASSERT_THAT(stale, SizeIs(1));
    EXPECT_EQ(stale[0].lease.lease.task, id);
    EXPECT_TRUE(stale[0].lease.started);
    EXPECT_EQ(stale[0].worker_name, "w");
    EXPECT_EQ(stale[0].hostname, "host-a");
    EXPECT_EQ(stale[0].quiet_for, seconds(60) + std::chrono::microseconds(1));
    EXPECT_FALSE(stale[0].worker_is_alive);
}

TEST_F(ByHand, StaleTasksStandByTheirIdsAndPastTheFirstPage) {
    const Uuid worker = add_worker("w");
    for (int i = 0; i < 1005; ++i) submit();
    while (!claim(worker, 500).empty()) {
    }
    pass(seconds(60));
    const auto stale = find_stale(*store, seconds(30));
    ASSERT_THAT(stale, SizeIs(1005));
    EXPECT_TRUE(std::ranges::is_sorted(stale, {}, [](const StaleTask& each) { return each.lease.lease.task; }));
}

TEST_F(ByHand, AClaimedTaskOfAWorkerThatNeverBeatIsAsOldAsItsClaim) {
    const Uuid worker = add_worker_that_never_beats("w");
    const Uuid id = submit();
    ASSERT_THAT(claim(worker, 0, 1), SizeIs(1));
    pass(seconds(60));
    const auto stale = find_stale(*store, seconds(59));
    ASSERT_THAT(stale, SizeIs(1));
    EXPECT_EQ(stale[0].lease.lease.task, id);
    EXPECT_EQ(stale[0].quiet_for, seconds(60));
}

TEST_F(ByHand, OfALiveWorkerTheAgeOfTheRunnersOwnBeatCounts) {
    const Uuid worker = add_worker("w");
    const Uuid id = submit();
    const store::Lease lease = claim(worker, 1).front().lease;
    pass(seconds(60));
    beat(worker, {{.lease = {id, lease}, .running = true, .runner_pid = 1, .runner_beat_age = seconds(50)}});
    pass(seconds(1));
    const auto stale = find_stale(*store, seconds(50));
    ASSERT_THAT(stale, SizeIs(1));
    EXPECT_EQ(stale[0].quiet_for, seconds(51));
    EXPECT_TRUE(stale[0].worker_is_alive);
}

TEST_F(ByHand, AStaleRunningTaskOfASilentWorkerFailsAsCrashedAndAnEventSaysWhoDecided) {
    const Uuid id = running_task();
    pass(seconds(61));
    EXPECT_EQ(fail_running(seconds(60)).settled, 1U);
    EXPECT_EQ(task(id).state, TaskState::Failed);
    EXPECT_EQ(task(id).error->code, error_code::worker_crashed);
    EXPECT_THAT(task(id).error->message, HasSubstr("no runner heartbeat for 61000ms = 61s"));
    EXPECT_THAT(event_kinds(id), Contains("failed"));
    EXPECT_EQ(store->events({.task = id, .worker = std::nullopt}).back().who, "ann");
    EXPECT_EQ(fail_running(seconds(60)).settled, 0U) << "harmless to repeat";
}

TEST_F(ByHand, FailRunningLeavesClaimedTasksAndRequeueClaimedLeavesRunningOnes) {
    const Uuid worker = add_worker("w");
    const Uuid running = submit();
    claim(worker, 1);
    const Uuid claimed = submit();
    claim(worker, 0, 1);
    pass(seconds(61));
    EXPECT_EQ(requeue_claimed(seconds(60)).settled, 1U);
    EXPECT_EQ(task(claimed).state, TaskState::Pending);
    EXPECT_EQ(task(claimed).history.attempts + task(claimed).history.crashes, 0);
    EXPECT_EQ(task(running).state, TaskState::Running);
    claim(worker, 0, 1);
    EXPECT_EQ(fail_running(seconds(60)).settled, 1U);
    EXPECT_EQ(task(running).state, TaskState::Failed);
    EXPECT_EQ(task(claimed).state, TaskState::Claimed);
}

TEST_F(ByHand, TheRunOfALiveWorkerIsAskedForAndNotEndedOverItsHead) {
    const Uuid worker = add_worker("w");
    const Uuid id = submit();
    const store::Lease lease = claim(worker, 1).front().lease;
    const store::HeldLease held{
        .lease = {id, lease}, .running = true, .runner_pid = 1, .runner_beat_age = seconds(100)};
    beat(worker, {held});
    const ManualAnswer answer = fail_running(seconds(60));
    EXPECT_EQ(answer.settled, 0U);
    EXPECT_EQ(answer.asked, 1U);
    EXPECT_EQ(task(id).state, TaskState::Running);
    EXPECT_THAT(beat(worker, {held}).stop, SizeIs(1));
}

TEST_F(ByHand, ATaskThatMayRunAgainIsNotGivenAwayBeforeItsSilentWorkerHasFencedItself) {
    const Uuid id = running_task([](store::NewTask& each) { each.policy.on_crash = OnCrash::Requeue; });
    pass(seconds(14));  // silent for more than three beats, but it declares a fence of 15 s
    EXPECT_EQ(fail_running(seconds(10)).settled, 0U);
    EXPECT_EQ(task(id).state, TaskState::Running);
    pass(seconds(2));
    EXPECT_EQ(fail_running(seconds(10)).settled, 1U);
    EXPECT_EQ(task(id).state, TaskState::Pending);
    EXPECT_EQ(task(id).history.crashes, 1);
}

TEST_F(ByHand, ATaskWhoseContainerNobodyCouldStopFailsAndIsNotRunAgain) {
    const Uuid id = running_task([](store::NewTask& each) {
        core::TaskSpec spec;
        spec.kind = core::TaskKind::Docker;
        spec.image = "busybox";
        each.spec = core::to_json_text(spec);
        each.policy.on_crash = OnCrash::Requeue;
    });
    pass(seconds(61));
    EXPECT_EQ(fail_running(seconds(60)).settled, 1U);
    EXPECT_EQ(task(id).state, TaskState::Failed);
}

TEST_F(ByHand, WhatBothFlagsLeftStuckIsSettled) {
    const auto [running, claimed] = let_a_worker_die_with_both_flags_off();
    ASSERT_EQ(task(running).state, TaskState::Running);
    EXPECT_EQ(fail_running(seconds(20)).settled, 1U);
    EXPECT_EQ(requeue_claimed(seconds(20)).settled, 1U);
    EXPECT_EQ(task(running).state, TaskState::Failed);
    EXPECT_EQ(task(claimed).state, TaskState::Pending);
}

}  // namespace
}  // namespace holdfast::engine::testing
