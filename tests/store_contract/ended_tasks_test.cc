#include "store_contract/job_fixture.h"

namespace holdfast::contract {
namespace {

class EndedTasks : public JobContract {
protected:
    store::EndedTasks between(Timestamp since, Timestamp until) { return store->ended_tasks(since, until); }
};
HOLDFAST_FOR_EVERY_STORE(EndedTasks);

TEST_P(EndedTasks, AreNoneInAnEmptyStore) {
    const auto ended = between(clock.now() - 1h, clock.now() + 1h);
    EXPECT_THAT(ended.tasks, IsEmpty());
    EXPECT_EQ(ended.last_lease, core::first_lease_of(store->rank())) << "the next one is one more";
}

TEST_P(EndedTasks, TellWhenTheyCouldHaveRunStartedAndEnded) {
    const Timestamp submitted = clock.now();
    submit(a_task(submitted, "resize"));
    clock.advance(3s);
    const auto lease = claim_one(worker);
    clock.advance(2s);
    finish(*store, worker, failed(lease));
    const auto ended = between(submitted, clock.now() + 1s);
    ASSERT_THAT(ended.tasks, SizeIs(1));
    const store::EndedTask& task = ended.tasks.front();
    EXPECT_EQ(task.state, TaskState::Failed);
    EXPECT_EQ(task.name, "resize");
    EXPECT_EQ(task.queue, "default");
    EXPECT_EQ(task.run_at, submitted);
    EXPECT_EQ(task.started_at, submitted + 3s);
    EXPECT_EQ(task.finished_at, submitted + 5s);
    EXPECT_EQ(ended.last_lease, lease.lease);
}

TEST_P(EndedTasks, NeverStartedWhenTheyWereCancelledBefore) {
    cancel(*store, submit());
    const auto ended = between(clock.now(), clock.now() + 1s);
    ASSERT_THAT(ended.tasks, SizeIs(1));
    EXPECT_EQ(ended.tasks.front().state, TaskState::Cancelled);
    EXPECT_FALSE(ended.tasks.front().started_at.has_value());
}

TEST_P(EndedTasks, AreThoseFromTheBeginningOnAndBeforeTheEnd) {
    const Timestamp at = clock.now();
    cancel(*store, submit());
    EXPECT_THAT(between(at, at + 1us).tasks, SizeIs(1));
    EXPECT_THAT(between(at - 1s, at).tasks, IsEmpty());
    EXPECT_THAT(between(at + 1us, at + 1s).tasks, IsEmpty());
}

}  // namespace
}  // namespace holdfast::contract
