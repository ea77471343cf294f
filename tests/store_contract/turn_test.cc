#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

using store::ClaimRefusal;
using store::Fenced;

/// A worker's turn as a whole; its parts have tests of their own.
class Turn : public StoreContract {
protected:
    void SetUp() override {
        StoreContract::SetUp();
        worker = join(*store);
    }
    /// A turn with one task in each of its lists, and a claim for as many as `to_start`.
    store::TurnParams full_turn(std::size_t to_start) {
        submit(tasks(clock.now(), 3 + to_start));
        const auto claimed = claim(*store, worker, 1, 2).tasks;
        return {.worker = worker,
                .request = random_uuid(),
                .finish = {completed(lease_of(claimed.at(0)), "1")},
                .hand_back = {lease_of(claimed.at(1))},
                .start = {lease_of(claimed.at(2))},
                .to_start = to_start};
    }

    Uuid worker;
};
HOLDFAST_FOR_EVERY_STORE_AND_SERVER(Turn);

TEST_P(Turn, FinishesHandsBackStartsAndClaimsInOneCall) {
    const auto turn = full_turn(2);
    const auto answer = store->turn(turn);
    EXPECT_EQ(answer.finished.at(0).fenced, Fenced::Applied);
    EXPECT_THAT(answer.handed_back, ElementsAre(Fenced::Applied));
    EXPECT_THAT(answer.started, ElementsAre(Fenced::Applied));
    EXPECT_THAT(answer.claimed.tasks, SizeIs(2));
    EXPECT_EQ(state_of(*store, turn.finish[0].lease.task), TaskState::Completed);
    EXPECT_EQ(state_of(*store, turn.hand_back[0].task), TaskState::Pending);
    EXPECT_EQ(state_of(*store, turn.start[0].task), TaskState::Running);
    for (const auto& task : answer.claimed.tasks) EXPECT_EQ(state_of(*store, task.task.id), TaskState::Running);
}

TEST_P(Turn, AgainAnswersAlreadyAndTellsWhatItWasGranted) {
    const auto turn = full_turn(2);
    const auto first = store->turn(turn);
    const auto again = store->turn(turn);
    EXPECT_EQ(again.finished.at(0).fenced, Fenced::Already);
    EXPECT_THAT(again.handed_back, ElementsAre(Fenced::Already));
    EXPECT_THAT(again.started, ElementsAre(Fenced::Already));
    EXPECT_EQ(leases_of(again.claimed.tasks), leases_of(first.claimed.tasks));
    EXPECT_EQ(store->count().running, 3);
}

TEST_P(Turn, OfNothingAnswersNothingEvenForAnUnknownWorker) {
    const auto answer = store->turn({.worker = random_uuid(), .request = random_uuid()});
    EXPECT_THAT(answer.finished, IsEmpty());
    EXPECT_EQ(answer.claimed.refusal, ClaimRefusal::None);
}

TEST_P(Turn, WhoseClaimIsRefusedStillFinishesAndHandsBack) {
    const auto turn = full_turn(1);
    store->order_worker({.worker = worker, .order = store::WorkerOrder::Cordon, .who = "ann"});
    const auto answer = store->turn(turn);
    EXPECT_EQ(answer.claimed.refusal, ClaimRefusal::Cordoned);
    EXPECT_THAT(answer.claimed.tasks, IsEmpty());
    EXPECT_EQ(answer.finished.at(0).fenced, Fenced::Applied);
    EXPECT_THAT(answer.handed_back, ElementsAre(Fenced::Applied));
    EXPECT_THAT(answer.started, ElementsAre(Fenced::Applied));
}

TEST_P(Turn, ClaimsTheTaskBehindTheKeyThatItFrees) {
    submit(with_key(a_task(clock.now()), "one"));
    submit(with_key(a_task(clock.now()), "one"));
    const auto running = claim(*store, worker, 2).tasks;
    ASSERT_THAT(running, SizeIs(1));
    store::TurnParams turn{
        .worker = worker, .request = random_uuid(), .finish = {completed(lease_of(running[0]))}, .to_start = 1};
    auto claimed = store->turn(turn).claimed;
    if (GetParam() == StoreKind::Postgres) {
        EXPECT_EQ(claimed.refusal, ClaimRefusal::PutOff);
        turn.finish.clear();
        claimed = store->turn(turn).claimed;
    }
    ASSERT_THAT(claimed.tasks, SizeIs(1));
    EXPECT_NE(claimed.tasks[0].task.id, running[0].task.id);
}

TEST_P(Turn, ClaimsTheTaskThatItRequeuesUnderAnotherLease) {
    submit(requeued_on_crash(a_task(clock.now())));
    const auto running = claim(*store, worker, 1).tasks;
    const store::TurnParams turn{.worker = worker,
                                 .request = random_uuid(),
                                 .finish = {ended(lease_of(running.at(0)), core::LeaseEnd::Stopped)},
                                 .to_start = 1};
    const auto answer = store->turn(turn);
    EXPECT_EQ(answer.finished.at(0).state, TaskState::Pending);
    ASSERT_THAT(answer.claimed.tasks, SizeIs(1));
    EXPECT_GT(answer.claimed.tasks[0].lease, running[0].lease);
    const auto again = store->turn(turn);
    EXPECT_EQ(again.finished.at(0).fenced, Fenced::Already);
    EXPECT_EQ(leases_of(again.claimed.tasks), leases_of(answer.claimed.tasks));
}

TEST_P(Turn, AnswersATaskInTwoOfItsListsAsIfTheyCameOneAfterTheOther) {
    submit(tasks(clock.now(), 2));
    const auto claimed = claim(*store, worker, 1, 1).tasks;
    const auto running = lease_of(claimed.at(0)), held = lease_of(claimed.at(1));
    const auto answer = store->turn(
        {.worker = worker, .finish = {completed(running)}, .hand_back = {running, held}, .start = {running, held}});
    EXPECT_EQ(answer.finished.at(0).fenced, Fenced::Applied);
    EXPECT_THAT(answer.started, ElementsAre(Fenced::LeaseLost, Fenced::Applied));
    EXPECT_THAT(answer.handed_back, ElementsAre(Fenced::LeaseLost, Fenced::LeaseLost)) << "both were started";
    EXPECT_EQ(state_of(*store, running.task), TaskState::Completed);
    EXPECT_EQ(state_of(*store, held.task), TaskState::Running);
}

TEST_P(Turn, OfMoreThanOneTransactionHoldsClaimsInTheLast) {
    submit(tasks(clock.now(), 2600));
    store::TurnParams turn{.worker = worker, .request = random_uuid(), .to_start = 300};
    for (const auto& one : claim_fully(*store, worker, 1500)) turn.finish.push_back(completed(lease_of(one)));
    while (turn.hand_back.size() < 800)
        for (const auto& one : claim(*store, worker, 0, 400).tasks) turn.hand_back.push_back(lease_of(one));
    const auto answer = store->turn(turn);
    EXPECT_EQ(store->count().completed, 1500);
    EXPECT_THAT(answer.handed_back, ::testing::Each(Fenced::Applied));
    EXPECT_THAT(answer.claimed.tasks, SizeIs(300));
    EXPECT_EQ(store->count().running, 300);
}

}  // namespace
}  // namespace holdfast::contract
