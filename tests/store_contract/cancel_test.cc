#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

using core::LeaseEnd;
using store::CancelStatus;
using store::Fenced;

class Cancel : public StoreContract {
protected:
    void SetUp() override {
        StoreContract::SetUp();
        worker = join(*store);
    }
    Uuid worker;
};
HOLDFAST_FOR_EVERY_STORE_AND_SERVER(Cancel);

TEST_P(Cancel, OfAPendingTaskEndsItAtOnce) {
    const auto id = submit();
    clock.advance(1s);
    EXPECT_EQ(cancel(*store, id), CancelStatus::Cancelled);
    const auto found = record(*store, id);
    EXPECT_EQ(found.state, TaskState::Cancelled);
    EXPECT_EQ(found.error->code, "TASK_CANCELLED");
    EXPECT_EQ(found.finished_at, clock.now());
    EXPECT_EQ(found.started_at, std::nullopt);
    EXPECT_THAT(store->attempts(id), IsEmpty());
    EXPECT_THAT(claim(*store, worker, 1).tasks, IsEmpty());
}

TEST_P(Cancel, OfATaskInTheFutureOrBehindAKeyEndsItAtOnce) {
    auto later = a_task(clock.now());
    later.run_at = clock.now() + 1h;
    submit(later);
    submit(with_key(a_task(clock.now()), "k"));
    claim_one(worker);
    const auto parked = submit(with_key(a_task(clock.now()), "k"));
    claim(*store, worker, 1);
    EXPECT_EQ(cancel(*store, later.id), CancelStatus::Cancelled);
    EXPECT_EQ(cancel(*store, parked), CancelStatus::Cancelled);
    EXPECT_EQ(store->count().cancelled, 2);
}

TEST_P(Cancel, WritesAnEventThatSaysWhoAndWhy) {
    const auto id = submit();
    cancel(*store, id);
    const auto events = store->events({.task = id, .worker = {}, .after_id = 0, .limit = 10});
    ASSERT_THAT(events, SizeIs(1));
    EXPECT_EQ(events[0].kind, "cancelled");
    EXPECT_EQ(events[0].who, "ann");
    EXPECT_THAT(events[0].message, HasSubstr("not needed"));
    EXPECT_EQ(events[0].at, clock.now());
}

TEST_P(Cancel, OfARunningTaskIsARequestThatTheBeatCarriesToItsWorker) {
    submit();
    const auto lease = claim_one(worker);
    EXPECT_EQ(cancel(*store, lease.task), CancelStatus::Requested);
    const auto found = record(*store, lease.task);
    EXPECT_EQ(found.state, TaskState::Running);
    EXPECT_TRUE(found.cancel_requested);
    EXPECT_THAT(event_kinds(*store, lease.task), ElementsAre("cancel_requested"));
    const auto answer = store->beat(beat_of(worker, {{.lease = lease, .running = true}}));
    ASSERT_THAT(answer.stop, SizeIs(1));
    EXPECT_EQ(answer.stop[0].lease, lease);
    EXPECT_EQ(answer.stop[0].reason, store::StopReason::Cancel);
}

TEST_P(Cancel, OfARunningTaskEndsItWhenItsWorkerConfirms) {
    submit();
    const auto lease = claim_one(worker);
    cancel(*store, lease.task);
    EXPECT_EQ(finish(*store, worker, ended(lease, LeaseEnd::Cancelled)).state, TaskState::Cancelled);
    EXPECT_EQ(cancel(*store, lease.task), CancelStatus::Already);
}

TEST_P(Cancel, OfATaskWhoseWorkerDiesEndsItAsCancelledWhateverItsPolicy) {
    submit(a_task(clock.now()));
    submit(requeued_on_crash(a_task(clock.now())));
    for (const auto& lease : leases_of(claim(*store, worker, 2).tasks)) {
        cancel(*store, lease.task);
        EXPECT_EQ(recover(*store, crash_verdict(lease)).state, TaskState::Cancelled);
        EXPECT_EQ(state_of(*store, lease.task), TaskState::Cancelled);
    }
}

TEST_P(Cancel, OfAClaimedTaskIsARequestAndTakingItBackCancelsIt) {
    submit();
    const auto lease = hold_one(worker);
    EXPECT_EQ(cancel(*store, lease.task), CancelStatus::Requested);
    EXPECT_EQ(state_of(*store, lease.task), TaskState::Claimed);
    EXPECT_EQ(recover(*store, requeue_verdict(lease)).state, TaskState::Cancelled);
}

TEST_P(Cancel, AgainAnswersAlready) {
    const auto pending = submit(with_priority(a_task(clock.now()), 90));
    submit();
    const auto lease = claim_one(worker);
    cancel(*store, pending);
    cancel(*store, lease.task);
    EXPECT_EQ(cancel(*store, pending), CancelStatus::Already);
    EXPECT_EQ(cancel(*store, lease.task), CancelStatus::Already);
    EXPECT_THAT(event_kinds(*store, lease.task), SizeIs(1));
}

TEST_P(Cancel, OfAFinishedOrUnknownTaskSaysSo) {
    submit();
    const auto lease = claim_one(worker);
    finish(*store, worker, completed(lease));
    EXPECT_EQ(cancel(*store, lease.task), CancelStatus::Finished);
    EXPECT_EQ(state_of(*store, lease.task), TaskState::Completed);
    EXPECT_EQ(cancel(*store, new_task_id(clock.now())), CancelStatus::NotFound);
}

TEST_P(Cancel, OfManyAnswersEachInOrder) {
    const auto ids = submit(tasks(clock.now(), 2));
    EXPECT_THAT(
        store->cancel({.tasks = {ids[1], new_task_id(clock.now()), ids[0], ids[1]}, .who = "ann", .reason = ""}),
        ElementsAre(CancelStatus::Cancelled, CancelStatus::NotFound, CancelStatus::Cancelled, CancelStatus::Already));
    EXPECT_THAT(store->cancel({.tasks = {}, .who = "ann", .reason = ""}), IsEmpty());
}

TEST_P(Cancel, OfMoreThanOneTransactionHoldsCancelsThemAll) {
    const auto ids = submit(tasks(clock.now(), 1300));
    const auto answers = store->cancel({.tasks = ids, .who = "ann", .reason = ""});
    EXPECT_EQ(std::count(answers.begin(), answers.end(), CancelStatus::Cancelled), 1300);
    EXPECT_EQ(store->count().cancelled, 1300);
}

}  // namespace
}  // namespace holdfast::contract
