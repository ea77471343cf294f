#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

using store::Fenced;
using store::ForceStatus;

/// What ends a task without its worker: force, reject, expire.
class Force : public StoreContract {
protected:
    void SetUp() override {
        StoreContract::SetUp();
        worker = join(*store);
    }
    Uuid worker;
};
HOLDFAST_FOR_EVERY_STORE(Force);

TEST_P(Force, EndsATaskInEveryStateAndIsAudited) {
    const auto ids = submit(tasks(clock.now(), 3));
    claim(*store, worker, 1, 1);
    for (const auto& id : ids) {
        EXPECT_EQ(force(*store, id), ForceStatus::Applied);
        const auto found = record(*store, id);
        EXPECT_EQ(found.state, TaskState::Failed);
        EXPECT_EQ(found.error->code, "FORCED");
        EXPECT_THAT(event_kinds(*store, id), ElementsAre("forced"));
    }
    const auto event = store->events({.task = ids[0], .worker = {}, .after_id = 0, .limit = 1}).at(0);
    EXPECT_EQ(event.who, "ann");
    EXPECT_THAT(event.message, HasSubstr("stuck"));
}

TEST_P(Force, CanEndATaskAsCancelled) {
    const auto id = submit();
    EXPECT_EQ(force(*store, id, TaskState::Cancelled), ForceStatus::Applied);
    EXPECT_EQ(state_of(*store, id), TaskState::Cancelled);
}

TEST_P(Force, TakesTheLeaseFromItsWorker) {
    submit();
    const auto lease = claim_one(worker);
    force(*store, lease.task);
    EXPECT_EQ(finish(*store, worker, completed(lease)).fenced, Fenced::LeaseLost);
    EXPECT_THAT(store->beat(beat_of(worker, {{.lease = lease, .running = true}})).lost, ElementsAre(lease));
    EXPECT_THAT(store->leases({}), IsEmpty());
}

TEST_P(Force, OfATerminalOrUnknownTaskSaysSo) {
    const auto id = submit();
    cancel(*store, id);
    EXPECT_EQ(force(*store, id), ForceStatus::Finished);
    EXPECT_EQ(state_of(*store, id), TaskState::Cancelled);
    EXPECT_EQ(force(*store, new_task_id(clock.now())), ForceStatus::NotFound);
    EXPECT_THAT(store->force({.tasks = {}, .state = TaskState::Failed, .who = "", .reason = ""}), IsEmpty());
}

TEST_P(Force, OfTheSameTaskTwiceInOneBatchIsAppliedOnce) {
    const auto id = submit();
    EXPECT_THAT(store->force({.tasks = {id, id}, .state = TaskState::Failed, .who = "ann", .reason = ""}),
                ElementsAre(ForceStatus::Applied, ForceStatus::Finished));
}

TEST_P(Force, RejectFailsPendingTasksWithTheGivenError) {
    const auto ids = submit(tasks(clock.now(), 2));
    const auto lease = claim_one(worker);
    const TaskError error{"NO_MATCHING_WORKER", "No active worker with required tags to run this step", ""};
    EXPECT_THAT(
        store->reject({.tasks = {ids[1], lease.task, new_task_id(clock.now())}, .error = error, .who = "sweeper"}),
        ElementsAre(true, false, false));
    const auto found = record(*store, ids[1]);
    EXPECT_EQ(found.state, TaskState::Failed);
    EXPECT_EQ(found.error, error);
    EXPECT_THAT(event_kinds(*store, ids[1]), ElementsAre("rejected"));
    EXPECT_EQ(state_of(*store, lease.task), TaskState::Running);
    EXPECT_THAT(store->reject({.tasks = {}, .error = error, .who = "sweeper"}), IsEmpty());
}

TEST_P(Force, ExpireEndsPendingTasksWhoseDeadlineHasPassed) {
    auto task = a_task(clock.now());
    task.deadline = clock.now() + 10s;
    submit(task);
    auto later = a_task(clock.now());
    later.deadline = clock.now() + 1h;
    later.run_at = clock.now() + 30min;
    submit(later);
    submit();
    EXPECT_EQ(store->expire_overdue(10), 0U);
    clock.advance(11s);
    EXPECT_EQ(store->expire_overdue(10), 1U);
    EXPECT_EQ(store->expire_overdue(10), 0U);
    const auto found = record(*store, task.id);
    EXPECT_EQ(found.state, TaskState::Expired);
    EXPECT_EQ(found.error->code, "TASK_EXPIRED");
    EXPECT_EQ(found.finished_at, clock.now());
    clock.advance(1h);
    EXPECT_EQ(store->expire_overdue(10), 1U);
    EXPECT_EQ(state_of(*store, later.id), TaskState::Expired);
}

TEST_P(Force, ExpireFindsTasksThatAClaimHasSetAsideOrAKeyHolds) {
    auto brief = a_task(clock.now());
    brief.deadline = clock.now() + 10s;
    auto keyed = with_key(a_task(clock.now()), "k");
    submit(keyed);
    claim_one(worker);
    keyed.id = new_task_id(clock.now());
    keyed.deadline = brief.deadline;
    submit(std::vector{brief, keyed});
    claim(*store, worker, 0, 0);
    clock.advance(11s);
    EXPECT_THAT(claim(*store, worker, 5).tasks, IsEmpty());
    EXPECT_EQ(store->expire_overdue(10), 2U);
    EXPECT_EQ(state_of(*store, brief.id), TaskState::Expired);
    EXPECT_EQ(state_of(*store, keyed.id), TaskState::Expired);
}

TEST_P(Force, ExpireDoesNotTouchWhatHasStarted) {
    auto task = a_task(clock.now());
    task.deadline = clock.now() + 10s;
    submit(task);
    claim_one(worker);
    clock.advance(1h);
    EXPECT_EQ(store->expire_overdue(10), 0U);
    EXPECT_EQ(state_of(*store, task.id), TaskState::Running);
}

TEST_P(Force, ExpireKeepsToItsLimit) {
    auto batch = tasks(clock.now(), 5);
    for (auto& task : batch) task.deadline = clock.now() + 1s;
    submit(batch);
    clock.advance(2s);
    EXPECT_EQ(store->expire_overdue(0), 0U);
    EXPECT_EQ(store->expire_overdue(3), 3U);
    EXPECT_EQ(store->expire_overdue(3), 2U);
}

}  // namespace
}  // namespace holdfast::contract
