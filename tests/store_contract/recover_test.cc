#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

using core::LeaseEnd;
using store::Fenced;

class Recover : public StoreContract {
protected:
    void SetUp() override {
        StoreContract::SetUp();
        worker = join(*store);
    }
    store::TaskLease running(const store::NewTask& task) {
        submit(task);
        return claim_one(worker);
    }
    Uuid worker;
};
HOLDFAST_FOR_EVERY_STORE(Recover);

TEST_P(Recover, RequeuesAClaimedTaskWithoutCostingAnAttempt) {
    submit();
    const auto lease = hold_one(worker);
    const auto outcome = recover(*store, requeue_verdict(lease));
    EXPECT_EQ(outcome.fenced, Fenced::Applied);
    EXPECT_EQ(outcome.state, TaskState::Pending);
    const auto found = record(*store, lease.task);
    EXPECT_EQ(found.state, TaskState::Pending);
    EXPECT_EQ(found.history.attempts, 0);
    EXPECT_EQ(found.history.crashes, 0);
    EXPECT_EQ(claim_one(worker).task, lease.task);
}

TEST_P(Recover, FailsARunningTaskWithTheVerdictsError) {
    const auto lease = running(a_task(clock.now()));
    clock.advance(5s);
    EXPECT_EQ(recover(*store, crash_verdict(lease)).state, TaskState::Failed);
    const auto found = record(*store, lease.task);
    EXPECT_EQ(found.state, TaskState::Failed);
    EXPECT_EQ(found.error->code, "WORKER_CRASHED");
    EXPECT_EQ(found.finished_at, clock.now());
    EXPECT_EQ(found.history.crashes, 1);
    const auto attempts = store->attempts(lease.task);
    ASSERT_THAT(attempts, SizeIs(1));
    EXPECT_EQ(attempts[0].end, LeaseEnd::Crashed);
}

TEST_P(Recover, WritesAnEventWithItsEvidence) {
    const auto lease = running(a_task(clock.now()));
    recover(*store, crash_verdict(lease));
    const auto events = store->events({.task = lease.task, .worker = {}, .after_id = 0, .limit = 10});
    ASSERT_THAT(events, SizeIs(1));
    EXPECT_EQ(events[0].kind, "failed");
    EXPECT_EQ(events[0].who, "sweeper");
    EXPECT_EQ(events[0].worker, worker);
    EXPECT_THAT(events[0].message, HasSubstr("exited"));
    EXPECT_EQ(events[0].data, R"({"evidence":"exited"})");
}

TEST_P(Recover, RequeuesARunningTaskWhosePolicySaysSoAndThenCallsItPoison) {
    const auto id = submit(requeued_on_crash(a_task(clock.now()), 2));
    for (int crash = 1; crash <= 2; ++crash) {
        EXPECT_EQ(recover(*store, crash_verdict(claim_one(worker))).state, TaskState::Pending);
        EXPECT_EQ(record(*store, id).history.crashes, crash);
        clock.advance(1h);
    }
    EXPECT_EQ(recover(*store, crash_verdict(claim_one(worker))).state, TaskState::Failed);
    EXPECT_EQ(record(*store, id).error->code, "POISON_TASK");
    EXPECT_THAT(event_kinds(*store, id), ElementsAre("requeued", "requeued", "failed"));
    EXPECT_THAT(store->attempts(id), SizeIs(3));
}

TEST_P(Recover, CrashesCostNoAttemptAndAttemptsNoCrash) {
    auto task = requeued_on_crash(with_retries(a_task(clock.now()), 2), 1);
    submit(task);
    EXPECT_EQ(recover(*store, crash_verdict(claim_one(worker))).state, TaskState::Pending);
    EXPECT_EQ(finish(*store, worker, failed(claim_one(worker))).state, TaskState::Pending);
    clock.advance(1h);
    EXPECT_EQ(finish(*store, worker, completed(claim_one(worker))).state, TaskState::Completed);
    EXPECT_EQ(record(*store, task.id).history, (core::History{.attempts = 2, .crashes = 1, .requeues = 0}));
}

TEST_P(Recover, OfAStoppedRunCostsNothing) {
    const auto lease = running(requeued_on_crash(a_task(clock.now()), 0));
    auto verdict = crash_verdict(lease);
    verdict.end = LeaseEnd::Stopped;
    verdict.error.code = std::string(error_code::fenced);
    EXPECT_EQ(recover(*store, verdict).state, TaskState::Pending);
    EXPECT_EQ(record(*store, lease.task).history.crashes, 0);
}

TEST_P(Recover, IsRefusedWhenTheTaskStartedSinceTheVerdict) {
    submit();
    const auto lease = hold_one(worker);
    store->turn({.worker = worker, .start = {lease}});
    EXPECT_EQ(recover(*store, requeue_verdict(lease)).fenced, Fenced::LeaseLost);
    EXPECT_EQ(state_of(*store, lease.task), TaskState::Running);
}

TEST_P(Recover, IsRefusedWhenTheTaskHasNotStartedAfterAll) {
    submit();
    const auto lease = hold_one(worker);
    EXPECT_EQ(recover(*store, crash_verdict(lease)).fenced, Fenced::LeaseLost);
    EXPECT_EQ(state_of(*store, lease.task), TaskState::Claimed);
}

TEST_P(Recover, OfAWrongLeaseOrUnknownTaskIsRefused) {
    const auto lease = running(a_task(clock.now()));
    EXPECT_EQ(recover(*store, crash_verdict({lease.task, lease.lease + 1})).fenced, Fenced::LeaseLost);
    EXPECT_EQ(recover(*store, crash_verdict({new_task_id(clock.now()), 1})).fenced, Fenced::LeaseLost);
    EXPECT_EQ(state_of(*store, lease.task), TaskState::Running);
    EXPECT_THAT(event_kinds(*store, lease.task), IsEmpty());
}

TEST_P(Recover, OfAFinishedTaskIsRefused) {
    const auto lease = running(a_task(clock.now()));
    finish(*store, worker, completed(lease, "1"));
    EXPECT_NE(recover(*store, crash_verdict(lease)).fenced, Fenced::Applied);
    EXPECT_EQ(record(*store, lease.task).result, "1");
}

TEST_P(Recover, AgainAnswersAlreadyAndWritesNothing) {
    const auto crashed = running(requeued_on_crash(a_task(clock.now())));
    recover(*store, crash_verdict(crashed));
    EXPECT_EQ(recover(*store, crash_verdict(crashed)).fenced, Fenced::Already);
    EXPECT_THAT(event_kinds(*store, crashed.task), SizeIs(1));
    EXPECT_EQ(record(*store, crashed.task).history.crashes, 1);
    cancel(*store, crashed.task);

    submit();
    const auto held = hold_one(worker);
    recover(*store, requeue_verdict(held));
    EXPECT_EQ(recover(*store, requeue_verdict(held)).fenced, Fenced::Already);
    EXPECT_EQ(record(*store, held.task).history.requeues, 1);
}

TEST_P(Recover, OfManyAnswersEachInOrder) {
    submit(tasks(clock.now(), 3));
    const auto leases = leases_of(claim(*store, worker, 2, 1).tasks);
    const auto outcomes = store->recover(
        {.who = "sweeper",
         .leases = {requeue_verdict(leases[2], worker), crash_verdict({leases[1].task, 55'555}, worker),
                    crash_verdict(leases[0], worker), crash_verdict(leases[0], worker)}});
    EXPECT_EQ(outcomes.at(0).state, TaskState::Pending);
    EXPECT_EQ(outcomes.at(1).fenced, Fenced::LeaseLost);
    EXPECT_EQ(outcomes.at(2).state, TaskState::Failed);
    EXPECT_EQ(outcomes.at(3).fenced, Fenced::Already);
    EXPECT_THAT(store->recover({.who = "sweeper", .leases = {}}), IsEmpty());
}

TEST_P(Recover, OfMoreThanOneTransactionHoldsRecoversThemAll) {
    submit(tasks(clock.now(), 1200));
    std::vector<store::RecoveredLease> verdicts;
    for (const auto& one : claim_fully(*store, worker, 1200))
        verdicts.push_back(crash_verdict(lease_of(one), worker));
    const auto outcomes = store->recover({.who = "sweeper", .leases = verdicts});
    ASSERT_THAT(outcomes, SizeIs(1200));
    for (const auto& outcome : outcomes) ASSERT_EQ(outcome.fenced, Fenced::Applied);
    EXPECT_EQ(store->count().failed, 1200);
}

}  // namespace
}  // namespace holdfast::contract
