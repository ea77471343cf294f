#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

using store::Fenced;

class Start : public StoreContract {
protected:
    void SetUp() override {
        StoreContract::SetUp();
        worker = join(*store);
    }
    Fenced start(const store::TaskLease& lease) {
        return store->turn({.worker = worker, .start = {lease}}).started.at(0);
    }
    Fenced hand_back(const store::TaskLease& lease) {
        return store->turn({.worker = worker, .hand_back = {lease}}).handed_back.at(0);
    }

    Uuid worker;
};
HOLDFAST_FOR_EVERY_STORE_AND_SERVER(Start);

TEST_P(Start, MakesAClaimedTaskRunning) {
    submit();
    const auto lease = hold_one(worker);
    const auto claimed_at = clock.now();
    clock.advance(1s);
    EXPECT_EQ(start(lease), Fenced::Applied);
    const auto found = record(*store, lease.task);
    EXPECT_EQ(found.state, TaskState::Running);
    EXPECT_EQ(found.claimed_at, claimed_at);
    EXPECT_EQ(found.started_at, clock.now());
}

TEST_P(Start, AgainAnswersAlreadyAndKeepsTheFirstTime) {
    submit();
    const auto lease = hold_one(worker);
    start(lease);
    const auto started_at = clock.now();
    clock.advance(1s);
    EXPECT_EQ(start(lease), Fenced::Already);
    EXPECT_EQ(record(*store, lease.task).started_at, started_at);
}

TEST_P(Start, WithAnotherLeaseOrOfAnUnknownTaskIsLost) {
    submit();
    const auto lease = hold_one(worker);
    EXPECT_EQ(start({lease.task, lease.lease + 1}), Fenced::LeaseLost);
    EXPECT_EQ(start({lease.task, 0}), Fenced::LeaseLost);
    EXPECT_EQ(start({new_task_id(clock.now()), lease.lease}), Fenced::LeaseLost);
    EXPECT_EQ(state_of(*store, lease.task), TaskState::Claimed);
}

TEST_P(Start, OfATaskThatWasTakenBackIsLost) {
    submit();
    const auto lease = hold_one(worker);
    recover(*store, requeue_verdict(lease));
    EXPECT_EQ(start(lease), Fenced::LeaseLost);
    EXPECT_EQ(state_of(*store, lease.task), TaskState::Pending);
}

TEST_P(Start, IsWithdrawnWhenACancelWasRequestedAndTheLeaseIsStillHeld) {
    submit();
    const auto lease = hold_one(worker);
    EXPECT_EQ(cancel(*store, lease.task), store::CancelStatus::Requested);
    EXPECT_EQ(start(lease), Fenced::Withdrawn);
    EXPECT_EQ(state_of(*store, lease.task), TaskState::Claimed);
    EXPECT_EQ(hand_back(lease), Fenced::Applied);
    EXPECT_EQ(state_of(*store, lease.task), TaskState::Cancelled);
}

TEST_P(Start, OfManyAnswersEachInOrder) {
    submit(tasks(clock.now(), 3));
    auto leases = leases_of(claim(*store, worker, 0, 3).tasks);
    start(leases[1]);
    leases.insert(leases.begin() + 1, {new_task_id(clock.now()), 1});
    EXPECT_THAT(store->turn({.worker = worker, .start = leases}).started,
                ElementsAre(Fenced::Applied, Fenced::LeaseLost, Fenced::Already, Fenced::Applied));
    EXPECT_THAT(store->turn({.worker = worker, .start = {}}).started, IsEmpty());
    EXPECT_THAT(store->turn({.worker = worker, .hand_back = {}}).handed_back, IsEmpty());
}

TEST_P(Start, OfTheSameLeaseTwiceInOneBatchIsAppliedOnce) {
    submit();
    const auto lease = hold_one(worker);
    EXPECT_THAT(store->turn({.worker = worker, .start = {lease, lease}}).started,
                ElementsAre(Fenced::Applied, Fenced::Already));
}

TEST_P(Start, OfMoreThanOneTransactionHoldsStartsThemAll) {
    submit(tasks(clock.now(), 1500));
    std::vector<store::TaskLease> leases;
    while (leases.size() < 1500) {
        for (const auto& lease : leases_of(claim(*store, worker, 0, 1500).tasks)) leases.push_back(lease);
    }
    const auto answers = store->turn({.worker = worker, .start = leases}).started;
    EXPECT_EQ(std::count(answers.begin(), answers.end(), Fenced::Applied), 1500);
    EXPECT_EQ(store->count().running, 1500);
}

TEST_P(Start, HandBackRequeuesWithoutCostingAnAttempt) {
    submit();
    const auto lease = hold_one(worker);
    EXPECT_EQ(hand_back(lease), Fenced::Applied);
    const auto found = record(*store, lease.task);
    EXPECT_EQ(found.state, TaskState::Pending);
    EXPECT_EQ(found.history.attempts, 0);
    EXPECT_EQ(found.history.crashes, 0);
    EXPECT_EQ(found.history.requeues, 1);
    EXPECT_THAT(store->attempts(lease.task), IsEmpty());
    const auto next = claim_one(worker);
    EXPECT_EQ(next.task, lease.task);
    EXPECT_GT(next.lease, lease.lease);
}

TEST_P(Start, HandBackBacksOffWhenItRepeats) {
    const auto id = submit();
    hand_back(hold_one(worker));
    hand_back(hold_one(worker));
    EXPECT_EQ(record(*store, id).waits_for, store::WaitReason::Future);
    auto answer = claim(*store, worker, 1);
    EXPECT_THAT(answer.tasks, IsEmpty());
    EXPECT_EQ(answer.next_due, Duration(1s));
    clock.advance(1s);
    hand_back(hold_one(worker));
    EXPECT_EQ(claim(*store, worker, 1).next_due, Duration(2s));
}

TEST_P(Start, HandBackAgainAnswersAlready) {
    submit();
    const auto lease = hold_one(worker);
    hand_back(lease);
    EXPECT_EQ(hand_back(lease), Fenced::Already);
    EXPECT_EQ(record(*store, lease.task).history.requeues, 1);
}

TEST_P(Start, HandBackOfARunningUnknownOrLostLeaseIsLost) {
    submit(tasks(clock.now(), 2));
    const auto running = claim_one(worker);
    EXPECT_EQ(hand_back(running), Fenced::LeaseLost);
    EXPECT_EQ(state_of(*store, running.task), TaskState::Running);
    EXPECT_EQ(hand_back({new_task_id(clock.now()), 5}), Fenced::LeaseLost);
    const auto held = hold_one(worker);
    EXPECT_EQ(hand_back({held.task, held.lease + 1}), Fenced::LeaseLost);
    EXPECT_EQ(state_of(*store, held.task), TaskState::Claimed);
}

}  // namespace
}  // namespace holdfast::contract
