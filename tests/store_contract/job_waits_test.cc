#include "store_contract/job_fixture.h"

namespace holdfast::contract {
namespace {

using store::DecideStatus;

class JobWaits : public JobContract {
protected:
    DecideStatus decide(const Uuid& id, const std::string& name, bool approve) {
        return jobs->decide_approval(
            {.job = id, .step = name, .approve = approve, .who = "bob", .reason = "looks fine"});
    }
    static core::WorkflowStep after(core::WorkflowStep step, std::vector<std::string> depends_on) {
        step.depends_on = std::move(depends_on);
        return step;
    }
};
HOLDFAST_FOR_EVERY_STORE(JobWaits);

TEST_P(JobWaits, AnApprovalWaitsForAPersonAndRecordsWhoAndWhy) {
    auto flow = a_flow({approval_step("ok", "Release {{ input.version }}?"), a_step("b", {"ok"})});
    const Uuid id = start({flow}, R"({"version":"1.2"})");
    EXPECT_EQ(step(id, "ok").state, StepState::Running);
    EXPECT_EQ(step(id, "ok").message, "Release 1.2?");
    EXPECT_EQ(step(id, "ok").kind, "approval");
    EXPECT_EQ(decide(id, "ok", true), DecideStatus::Applied);
    const auto output = nlohmann::json::parse(step(id, "ok").output);
    EXPECT_EQ(output.at("by"), "bob");
    EXPECT_EQ(output.at("reason"), "looks fine");
    EXPECT_EQ(step(id, "b").state, StepState::Ready);
    EXPECT_EQ(decide(id, "ok", false), DecideStatus::Already);
    EXPECT_THAT(kinds_of_events(id), Contains("approved"));
}

TEST_P(JobWaits, ARejectionFailsTheStep) {
    const Uuid id = start({approval_step("ok", "Now?"), a_step("b", {"ok"})});
    EXPECT_EQ(decide(id, "ok", false), DecideStatus::Applied);
    EXPECT_EQ(states(id), "ok=FAILED b=SKIPPED");
    EXPECT_EQ(step(id, "ok").error->code, "APPROVAL_REJECTED");
    EXPECT_THAT(step(id, "ok").error->message, HasSubstr("bob"));
    EXPECT_EQ(state(id), JobState::Failed);
}

TEST_P(JobWaits, OnlyAnApprovalThatWaitsCanBeDecided) {
    const Uuid id = start({a_step("a"), after(approval_step("ok", "Now?"), {"a"})});
    EXPECT_EQ(decide(id, "ok", true), DecideStatus::NotWaiting);
    EXPECT_EQ(decide(id, "a", true), DecideStatus::NotFound);
    EXPECT_EQ(decide(id, "x", true), DecideStatus::NotFound);
    EXPECT_EQ(decide(random_uuid(), "ok", true), DecideStatus::NotFound);
}

TEST_P(JobWaits, AnApprovalThatNobodyGivesTimesOut) {
    auto ok = approval_step("ok", "Now?");
    ok.policy.timeout = 1h;
    const Uuid id = start({ok});
    EXPECT_EQ(step(id, "ok").wakes_at, clock.now() + 1h);
    clock.advance(59min);
    EXPECT_EQ(jobs->end_due_waits(100), 0U);
    clock.advance(1min);
    EXPECT_EQ(jobs->end_due_waits(100), 1U);
    EXPECT_EQ(step(id, "ok").error->code, "APPROVAL_TIMEOUT");
    EXPECT_EQ(state(id), JobState::Failed);
    EXPECT_EQ(jobs->end_due_waits(100), 0U);
}

TEST_P(JobWaits, AWaitEndsWhenItsTimeHasCome) {
    const Uuid id = start({wait_step("w", "10m"), a_step("b", {"w"})});
    EXPECT_EQ(states(id), "w=RUNNING b=WAITING");
    clock.advance(9min);
    EXPECT_EQ(jobs->end_due_waits(100), 0U);
    clock.advance(1min);
    EXPECT_EQ(jobs->end_due_waits(100), 1U);
    EXPECT_EQ(states(id), "w=COMPLETED b=READY");
}

TEST_P(JobWaits, WaitsAreEndedInBoundedBatches) {
    std::vector<Uuid> ids;
    for (int i = 0; i < 5; ++i) ids.push_back(start({wait_step("w", "1s")}));
    clock.advance(1s);
    EXPECT_EQ(jobs->end_due_waits(0), 0U);
    EXPECT_EQ(jobs->end_due_waits(3), 3U);
    EXPECT_EQ(jobs->end_due_waits(3), 2U);
    for (const auto& id : ids) EXPECT_EQ(state(id), JobState::Completed);
}

TEST_P(JobWaits, AWaitThatEndsWhileItsJobIsPausedBeginsNothing) {
    const Uuid id = start({wait_step("w", "1s"), a_step("b", {"w"})});
    pause(id);
    clock.advance(1s);
    jobs->end_due_waits(100);
    EXPECT_EQ(step(id, "w").state, StepState::Completed);
    EXPECT_TRUE(step(id, "b").task.is_nil());
    resume(id);
    complete(id, "b");
    EXPECT_EQ(state(id), JobState::Completed);
}

TEST_P(JobWaits, AJobThatRunsForTooLongIsCancelled) {
    auto flow = a_flow({a_step("a")});
    flow.timeout = 1h;
    const Uuid id = start({flow});
    clock.advance(30min);
    const auto lease = running(id, "a");
    EXPECT_EQ(job(id).deadline, clock.now() + 1h);
    clock.advance(59min);
    EXPECT_EQ(jobs->cancel_overdue_jobs(100, "sweeper"), 0U);
    clock.advance(1min);
    EXPECT_EQ(jobs->cancel_overdue_jobs(100, "sweeper"), 1U);
    EXPECT_EQ(jobs->cancel_overdue_jobs(100, "sweeper"), 0U);
    EXPECT_TRUE(record(*store, lease.task).cancel_requested);
    finish(*store, worker, ended(lease, core::LeaseEnd::Cancelled));
    EXPECT_EQ(state(id), JobState::Cancelled);
    EXPECT_EQ(job(id).error->code, "JOB_TIMEOUT");
    EXPECT_THAT(job(id).error->message, HasSubstr("1h"));
}

TEST_P(JobWaits, AJobThatQueuesForTooLongIsCancelled) {
    auto flow = a_flow({a_step("a")});
    flow.queue_timeout = 5min;
    flow.timeout = 1h;
    const Uuid begun = start({flow});
    clock.advance(4min);
    running(begun, "a");
    clock.advance(1min);
    EXPECT_EQ(jobs->cancel_overdue_jobs(100, "sweeper"), 0U) << "it began in time";
    const Uuid never = start({flow});
    clock.advance(5min);
    EXPECT_EQ(jobs->cancel_overdue_jobs(100, "sweeper"), 1U);
    EXPECT_EQ(state(never), JobState::Cancelled);
    EXPECT_EQ(job(never).error->code, "QUEUE_TIMEOUT");
    EXPECT_EQ(state(begun), JobState::Running);
}

TEST_P(JobWaits, ACrashDuringAJobTimeoutStillEndsTheJob) {
    auto flow = a_flow({a_step("a")});
    flow.timeout = 1h;
    const Uuid id = start({flow});
    const auto lease = running(id, "a");
    clock.advance(1h);
    jobs->cancel_overdue_jobs(100, "sweeper");
    recover(*store, crash_verdict(lease));
    EXPECT_EQ(state(id), JobState::Cancelled);
    EXPECT_EQ(job(id).error->code, "JOB_TIMEOUT");
}

}  // namespace
}  // namespace holdfast::contract
