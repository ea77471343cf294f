#include "base/text.h"
#include "store_contract/job_fixture.h"

namespace holdfast::contract {
namespace {

using store::Fenced;
using store::RetryStatus;
using store::WaitReason;

class JobSteer : public JobContract {
protected:
    std::pair<RetryStatus, Uuid> retry(const Uuid& id) {
        const Uuid fresh = new_task_id(clock.now());
        return {jobs->retry_job({.job = id, .new_id = fresh, .who = "ann"}), fresh};
    }
};
HOLDFAST_FOR_EVERY_STORE(JobSteer);

// ---- Pause and resume

TEST_P(JobSteer, APausedJobsReadyTasksAreOutOfReachUntilItIsResumed) {
    const Uuid id = start({a_step("a"), a_step("b")});
    EXPECT_EQ(pause(id), SteerStatus::Applied);
    EXPECT_EQ(state(id), JobState::Paused);
    EXPECT_THAT(claim(*store, worker, 10).tasks, IsEmpty());
    EXPECT_EQ(record(*store, step(id, "a").task).waits_for, WaitReason::Job);
    EXPECT_EQ(resume(id), SteerStatus::Applied);
    complete(id, "a");
    complete(id, "b");
    EXPECT_EQ(state(id), JobState::Completed);
}

TEST_P(JobSteer, PausingTwiceAndResumingTwiceIsHarmless) {
    const Uuid id = start({a_step("a")});
    pause(id);
    EXPECT_EQ(pause(id), SteerStatus::Already);
    resume(id);
    EXPECT_EQ(resume(id), SteerStatus::Already);
    complete(id, "a");
    EXPECT_EQ(pause(id), SteerStatus::Finished);
    EXPECT_EQ(resume(id), SteerStatus::Finished);
    EXPECT_EQ(pause(random_uuid()), SteerStatus::NotFound);
    EXPECT_EQ(resume(random_uuid()), SteerStatus::NotFound);
}

TEST_P(JobSteer, WhatRunsMayEndWhileItsJobIsPausedAndBeginsNothing) {
    const Uuid id = start({a_step("a"), a_step("b", {"a"})});
    const auto lease = running(id, "a");
    pause(id);
    EXPECT_EQ(finish(*store, worker, completed(lease)).fenced, Fenced::Applied);
    EXPECT_EQ(states(id), "a=COMPLETED b=READY");
    EXPECT_TRUE(step(id, "b").task.is_nil());
    EXPECT_EQ(state(id), JobState::Paused);
    resume(id);
    complete(id, "b");
    EXPECT_EQ(state(id), JobState::Completed);
}

TEST_P(JobSteer, TheStartOfAClaimedTaskOfAPausedJobIsWithdrawn) {
    const Uuid id = start({a_step("a")});
    const auto lease = hold_one(worker);
    pause(id);
    EXPECT_THAT(store->turn({.worker = worker, .start = {lease}}).started, ElementsAre(Fenced::Withdrawn));
    EXPECT_THAT(store->beat(beat_of(worker, {{lease, false, 0, 0s}})).stop, IsEmpty()) << "there is no run to stop";
    EXPECT_THAT(store->turn({.worker = worker, .hand_back = {lease}}).handed_back, ElementsAre(Fenced::Applied));
    EXPECT_EQ(record(*store, lease.task).waits_for, WaitReason::Job);
    EXPECT_THAT(claim(*store, worker, 1).tasks, IsEmpty());
    resume(id);
    clock.advance(2s);
    complete(id, "a");
    EXPECT_EQ(state(id), JobState::Completed);
}

TEST_P(JobSteer, AClaimedTaskMayStartWhenItsJobWasResumedMeanwhile) {
    const Uuid id = start({a_step("a")});
    const auto lease = hold_one(worker);
    pause(id);
    resume(id);
    EXPECT_THAT(store->turn({.worker = worker, .start = {lease}}).started, ElementsAre(Fenced::Applied));
}

TEST_P(JobSteer, ARetryWaitsWhileItsJobIsPaused) {
    auto a = a_step("a");
    a.policy.retry.max_attempts = 3;
    const Uuid id = start({a});
    const auto lease = running(id, "a");
    pause(id);
    EXPECT_EQ(finish(*store, worker, failed(lease)).state, TaskState::Pending);
    claimed_tasks.clear();
    clock.advance(1h);
    EXPECT_FALSE(can_be_claimed(id, "a"));
    resume(id);
    complete(id, "a");
    EXPECT_EQ(state(id), JobState::Completed);
}

TEST_P(JobSteer, ARequeueAfterACrashWaitsWhileItsJobIsPaused) {
    auto a = a_step("a");
    a.policy.on_crash = OnCrash::Requeue;
    const Uuid id = start({a});
    const auto lease = running(id, "a");
    pause(id);
    EXPECT_EQ(recover(*store, crash_verdict(lease)).state, TaskState::Pending);
    EXPECT_EQ(record(*store, lease.task).waits_for, WaitReason::Job);
}

TEST_P(JobSteer, ACrashThatLeavesAPausedJobNothingToRunEndsIt) {
    const Uuid id = start({a_step("a"), a_step("b", {"a"})});
    const auto lease = running(id, "a");
    pause(id);
    recover(*store, crash_verdict(lease));
    EXPECT_EQ(states(id), "a=FAILED b=SKIPPED");
    EXPECT_EQ(state(id), JobState::Failed);
    EXPECT_EQ(resume(id), SteerStatus::Finished);
}

TEST_P(JobSteer, APausedJobEndsByItsSuccessPolicyWithItsLastStep) {
    auto flow = a_flow({a_step("a"), a_step("b")});
    flow.on_success = {a_step("")};
    const Uuid id = start({flow});
    const auto a = running(id, "a"), b = running(id, "b");
    pause(id);
    finish(*store, worker, completed(a));
    EXPECT_EQ(state(id), JobState::Paused);
    finish(*store, worker, completed(b));
    EXPECT_EQ(state(id), JobState::Completed);
    EXPECT_TRUE(can_be_claimed(id, "on_success"));
}

TEST_P(JobSteer, APausedJobNoneOfWhoseTasksEverRanEndsWithTheLastOfThem) {
    const Uuid id = start({a_step("a"), a_step("b", {"a"})});
    pause(id);
    store->cancel({.tasks = {step(id, "a").task}, .who = "ann", .reason = ""});
    EXPECT_EQ(states(id), "a=CANCELLED b=SKIPPED");
    EXPECT_EQ(state(id), JobState::Failed);
    EXPECT_EQ(job(id).started_at, std::nullopt);
}

TEST_P(JobSteer, AnErrorThatPausesAJobEndsItWhenNothingIsLeftToRun) {
    auto flow = a_flow({a_step("a"), a_step("b", {"a"})});
    flow.on_error = core::OnError::Pause;
    flow.on_failure = {a_step("")};
    const Uuid id = start({flow});
    fail(id, "a");
    EXPECT_EQ(states(id), "a=FAILED b=SKIPPED on_error=READY");
    EXPECT_EQ(state(id), JobState::Failed);
    EXPECT_TRUE(can_be_claimed(id, "on_error")) << "the pause does not hold the hook";
}

TEST_P(JobSteer, AChildThatEndsWhilePausedAdvancesItsPausedParent) {
    const auto child = a_flow({a_step("x")}, "child");
    const Uuid id = start({a_flow({child_step("c", "child"), a_step("d", {"c"})}), child});
    const auto lease = running(step(id, "c").child, "x");
    pause(id);
    finish(*store, worker, completed(lease));
    EXPECT_EQ(state(step(id, "c").child), JobState::Completed);
    EXPECT_EQ(states(id), "c=COMPLETED d=READY");
    EXPECT_EQ(state(id), JobState::Paused) << "d has not run";
    resume(id);
    complete(id, "d");
    EXPECT_EQ(state(id), JobState::Completed);
}

TEST_P(JobSteer, PausingAJobWhoseStepsHaveAllEndedEndsIt) {
    const Uuid id = start({a_step("a")});
    const Uuid task = step(id, "a").task;
    const auto raw = database->raw();
    raw->execute(concat("DELETE FROM ready WHERE task_id = ", raw->literal(task)));
    raw->execute(concat("UPDATE step SET state = 'SKIPPED' WHERE job_id = ", raw->literal(id)));
    raw->execute(concat("UPDATE job_progress SET open_steps = 0 WHERE job_id = ", raw->literal(id)));
    pause(id);
    EXPECT_EQ(state(id), JobState::Completed);
}

TEST_P(JobSteer, APausedTaskLeavesItsConcurrencyKeyToOthers) {
    auto a = a_step("a");
    a.concurrency_key = "k";
    const Uuid id = start({a});
    pause(id);
    submit(with_key(a_task(clock.now()), "k"));
    const auto answer = claim(*store, worker, 5);
    ASSERT_THAT(answer.tasks, SizeIs(1));
    resume(id);
    EXPECT_FALSE(can_be_claimed(id, "a")) << "the key is taken";
    finish(*store, worker, completed(lease_of(answer.tasks[0])));
    complete(id, "a");
}

TEST_P(JobSteer, OnlyItsOwnTasksAreHeld) {
    const Uuid paused = start({a_step("a")});
    const Uuid other = start({a_step("a")});
    pause(paused);
    complete(other, "a");
    EXPECT_EQ(state(other), JobState::Completed);
}

TEST_P(JobSteer, ItemsBeginWhenTheirJobIsResumed) {
    auto each = for_each_step("f", {1, 2, 3});
    each.parallel = 1;
    const Uuid id = start({each});
    const auto lease = running(id, "f[0]");
    pause(id);
    finish(*store, worker, completed(lease));
    EXPECT_EQ(step(id, "f[1]").state, StepState::Waiting);
    resume(id);
    complete(id, "f[1]");
    complete(id, "f[2]");
    EXPECT_EQ(state(id), JobState::Completed);
}

// ---- Cancel

TEST_P(JobSteer, ACancelOfAPendingJobEndsItAtOnce) {
    const Uuid id = start({a_step("a"), a_step("b", {"a"})});
    EXPECT_EQ(cancel_job(id), SteerStatus::Applied);
    EXPECT_EQ(state(id), JobState::Cancelled);
    EXPECT_EQ(job(id).error->code, "JOB_CANCELLED");
    EXPECT_THAT(job(id).error->message, HasSubstr("enough"));
    EXPECT_EQ(states(id), "a=CANCELLED b=CANCELLED");
    EXPECT_EQ(state_of(*store, step(id, "a").task), TaskState::Cancelled);
    EXPECT_EQ(cancel_job(id), SteerStatus::Already);
    EXPECT_EQ(cancel_job(random_uuid()), SteerStatus::NotFound);
}

TEST_P(JobSteer, ACancelWithoutAReasonStillSaysWhoCancelled) {
    const Uuid id = start({a_step("a")});
    jobs->cancel_jobs({{id}, "ann", ""});
    EXPECT_THAT(job(id).error->message, HasSubstr("ann"));
}

TEST_P(JobSteer, ACancelOfARunningJobWaitsForItsWorkersToConfirm) {
    const Uuid id = start({a_step("a"), a_step("b"), a_step("c", {"a"})});
    const auto lease = running(id, "a");
    cancel_job(id);
    EXPECT_EQ(state(id), JobState::Running);
    EXPECT_TRUE(job(id).cancel_requested);
    const auto stop = store->beat(beat_of(worker, {{lease, true, 0, 0s}, {running(id, "b"), true, 0, 0s}})).stop;
    EXPECT_THAT(stop, SizeIs(2));
    finish(*store, worker, ended(lease, core::LeaseEnd::Cancelled));
    EXPECT_EQ(state(id), JobState::Running);
    finish(*store, worker, ended(running(id, "b"), core::LeaseEnd::Cancelled));
    EXPECT_EQ(state(id), JobState::Cancelled);
    EXPECT_EQ(states(id), "a=CANCELLED b=CANCELLED c=CANCELLED");
}

TEST_P(JobSteer, AClaimedTaskOfACancelledJobIsWithdrawnAndCancelledWhenHandedBack) {
    const Uuid id = start({a_step("a")});
    const auto lease = hold_one(worker);
    cancel_job(id);
    EXPECT_THAT(store->turn({.worker = worker, .start = {lease}}).started, ElementsAre(Fenced::Withdrawn));
    store->turn({.worker = worker, .hand_back = {lease}});
    EXPECT_EQ(state_of(*store, lease.task), TaskState::Cancelled);
    EXPECT_EQ(state(id), JobState::Cancelled);
}

TEST_P(JobSteer, ACompletedStepStaysCompletedInACancelledJob) {
    const Uuid id = start({a_step("a"), a_step("b")});
    complete(id, "a");
    cancel_job(id);
    finish(*store, worker, ended(running(id, "b"), core::LeaseEnd::Cancelled));
    EXPECT_EQ(states(id), "a=COMPLETED b=CANCELLED");
}

TEST_P(JobSteer, AResultThatComesAfterTheCancelDoesNotReviveTheJob) {
    const Uuid id = start({a_step("a"), a_step("b", {"a"})});
    const auto lease = running(id, "a");
    cancel_job(id);
    EXPECT_EQ(finish(*store, worker, completed(lease)).fenced, Fenced::Applied);
    EXPECT_EQ(states(id), "a=COMPLETED b=CANCELLED");
    EXPECT_EQ(state(id), JobState::Cancelled);
}

TEST_P(JobSteer, APausedJobCanBeCancelled) {
    const Uuid id = start({a_step("a")});
    pause(id);
    EXPECT_EQ(cancel_job(id), SteerStatus::Applied);
    EXPECT_EQ(state(id), JobState::Cancelled);
}

TEST_P(JobSteer, ACancelledJobsWaitsAndApprovalsEndAtOnce) {
    const Uuid id = start({wait_step("w", "1h"), approval_step("ok", "Now?")});
    cancel_job(id);
    EXPECT_EQ(states(id), "w=CANCELLED ok=CANCELLED");
    EXPECT_EQ(state(id), JobState::Cancelled);
}

TEST_P(JobSteer, AnEndedJobCannotBeCancelled) {
    const Uuid id = start({a_step("a")});
    complete(id, "a");
    EXPECT_EQ(cancel_job(id), SteerStatus::Finished);
}

TEST_P(JobSteer, ACrashWhileCancellingEndsTheJob) {
    const Uuid id = start({a_step("a")});
    const auto lease = running(id, "a");
    cancel_job(id);
    recover(*store, crash_verdict(lease));
    EXPECT_EQ(state(id), JobState::Cancelled);
    EXPECT_EQ(states(id), "a=CANCELLED");
}

TEST_P(JobSteer, ACancelReachesItemsThatRunAndThoseThatDoNot) {
    auto each = for_each_step("f", {1, 2, 3});
    each.parallel = 1;
    const Uuid id = start({each});
    const auto lease = running(id, "f[0]");
    cancel_job(id);
    EXPECT_EQ(step(id, "f[1]").state, StepState::Cancelled);
    finish(*store, worker, ended(lease, core::LeaseEnd::Cancelled));
    EXPECT_EQ(state(id), JobState::Cancelled);
    EXPECT_EQ(states(id), "f=CANCELLED");
}

TEST_P(JobSteer, ManyTasksAreCancelledInBoundedTransactions) {
    nlohmann::json list = nlohmann::json::array();
    for (int i = 0; i < 2500; ++i) list.push_back(i);
    const Uuid id = start({for_each_step("f", list)});
    EXPECT_EQ(cancel_job(id), SteerStatus::Applied);
    EXPECT_EQ(state(id), JobState::Cancelled);
    EXPECT_EQ(store->count().cancelled, 2500);
}

// ---- Retry

TEST_P(JobSteer, ARetryAdoptsWhatSucceededAndRunsTheRest) {
    auto flow = a_flow({a_step("a"), a_step("b", {"a"}), a_step("c", {"b"})});
    flow.steps[2].input = "{{ steps.a.output }}";
    const Uuid id = start({flow});
    complete(id, "a", "7");
    fail(id, "b");
    const auto [status, fresh] = retry(id);
    EXPECT_EQ(status, RetryStatus::Started);
    EXPECT_EQ(job(fresh).retry_of, id);
    EXPECT_EQ(states(fresh), "a=COMPLETED b=READY c=WAITING");
    EXPECT_EQ(step(fresh, "a").output, "7");
    complete(fresh, "b");
    EXPECT_EQ(claimed(fresh, "c").task.args, "7");
    complete(fresh, "c");
    EXPECT_EQ(state(fresh), JobState::Completed);
    EXPECT_EQ(state(id), JobState::Failed);
}

TEST_P(JobSteer, ARetryOfACancelledJobRunsWhatHadNotSucceeded) {
    const Uuid id = start({a_step("a"), a_step("b", {"a"})});
    cancel_job(id);
    const auto [status, fresh] = retry(id);
    EXPECT_EQ(status, RetryStatus::Started);
    complete(fresh, "a");
    complete(fresh, "b");
    EXPECT_EQ(state(fresh), JobState::Completed);
}

TEST_P(JobSteer, ARetryAdoptsTheItemsThatSucceeded) {
    const Uuid id = start({for_each_step("f", {1, 2, 3})});
    complete(id, "f[0]", "10");
    fail(id, "f[1]");
    complete(id, "f[2]", "30");
    const auto [status, fresh] = retry(id);
    EXPECT_EQ(status, RetryStatus::Started);
    claimed_tasks.clear();
    claim_all();
    EXPECT_THAT(claimed_tasks, SizeIs(1));
    complete(fresh, "f[1]", "20");
    EXPECT_EQ(job(fresh).output, "[10,20,30]");
}

TEST_P(JobSteer, OnlyAJobThatDidNotSucceedCanBeRetried) {
    const Uuid id = start({a_step("a")});
    EXPECT_EQ(retry(id).first, RetryStatus::NotEnded);
    complete(id, "a");
    EXPECT_EQ(retry(id).first, RetryStatus::Completed);
    EXPECT_EQ(retry(random_uuid()).first, RetryStatus::NotFound);
}

TEST_P(JobSteer, TheSameRetryAgainIsOneJob) {
    const Uuid id = start({a_step("a")});
    fail(id, "a");
    const Uuid fresh = new_task_id(clock.now());
    EXPECT_EQ(jobs->retry_job({id, fresh, "ann"}), RetryStatus::Started);
    EXPECT_EQ(jobs->retry_job({id, fresh, "ann"}), RetryStatus::Started);
    EXPECT_THAT(jobs->list_jobs({}), SizeIs(2));
}

}  // namespace
}  // namespace holdfast::contract
