#include <gmock/gmock.h>

#include "store/sqlite/database.h"
#include "tests/engine/recovery_world.h"

namespace holdfast::engine::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// What can go wrong between two steps of recovery, or beside it.
struct CrashWindow : RecoveryWorld {
    /// The database refuses to end the lease of this task, until it is told otherwise.
    void poison(const Uuid& task) {
        std::string digits = task.to_string();
        std::erase(digits, '-');
        sql("CREATE TRIGGER poison BEFORE DELETE ON lease WHEN old.task_id = x'" + digits +
            "' BEGIN SELECT RAISE(ABORT, 'poison'); END");
    }
    void cure() { sql("DROP TRIGGER poison"); }

private:
    void sql(const std::string& text) const {
        sqlite::Database((folder / "r.db").string(), sqlite::Database::Mode::ReadWrite).execute(text);
    }
};

TEST_F(CrashWindow, AWorkerThatASweeperMarkedBeforeItDiedItselfIsSettledByTheNext) {
    const Uuid worker = add_worker("w");
    const Uuid id = submit();
    claim(worker, 1);
    ASSERT_TRUE(
        store->mark_lost({{.worker = worker, .beat = 1, .who = "died since", .evidence = "exited", .data = ""}})
            .front());
    kill(worker);
    pass(seconds(1));
    EXPECT_EQ(sweep().ended, 1U);
    EXPECT_EQ(task(id).state, TaskState::Failed);
}

TEST_F(CrashWindow, ALeaseThatTheStoreCannotEndStarvesNobodyAndIsTriedAgain) {
    const Uuid worker = add_worker("w");
    const Uuid poisoned = submit();
    const Uuid other = submit();
    claim(worker, 2);
    poison(poisoned);
    kill(worker);
    pass(seconds(1));
    const RecoveryReport first = sweep();
    EXPECT_EQ(first.ended, 1U);
    EXPECT_EQ(first.skipped, 1U);
    EXPECT_THAT(first.remarks, Contains(HasSubstr("cannot be recovered")));
    EXPECT_EQ(task(other).state, TaskState::Failed);
    EXPECT_EQ(task(poisoned).state, TaskState::Running);
    pass(seconds(1));
    EXPECT_EQ(sweep().skipped, 0U) << "put aside for a while";
    cure();
    pass(std::chrono::minutes(6));
    EXPECT_EQ(sweep().ended, 1U);
    EXPECT_EQ(task(poisoned).state, TaskState::Failed);
}

TEST_F(CrashWindow, AWorkerThatDrainsForLongAndBeatsIsNotTakenForDead) {
    const Uuid worker = add_worker("w");
    const Uuid id = submit();
    const store::Lease lease = claim(worker, 1).front().lease;
    for (int second = 0; second < 600; ++second) {
        pass(seconds(1));
        store::BeatParams params{
            .worker = worker, .status = store::WorkerStatus::Draining, .held = {}, .progress = {}};
        params.held = {{.lease = {id, lease}, .running = true}};
        if (second % 3 == 0) store->beat(params);
        EXPECT_TRUE(sweep().is_empty());
    }
    EXPECT_EQ(task(id).state, TaskState::Running);
}

TEST_F(CrashWindow, AResultForAnEarlierLeaseOfTheSameWorkerIsRefused) {
    const Uuid worker = add_worker("w");
    const Uuid id = submit([](store::NewTask& each) { each.policy.on_crash = OnCrash::Requeue; });
    const store::Lease earlier = claim(worker, 1).front().lease;
    sweep_for(seconds(20));
    ASSERT_EQ(task(id).state, TaskState::Pending);
    beat(worker);
    const store::Lease later = claim(worker, 1).front().lease;
    EXPECT_GT(later, earlier);
    const auto late =
        store->turn({.worker = worker, .finish = {{.lease = {id, earlier}, .result = "1", .error = {}}}});
    EXPECT_EQ(late.finished.front().fenced, store::Fenced::LeaseLost);
    EXPECT_EQ(task(id).state, TaskState::Running);
    EXPECT_THAT(event_kinds(id), Contains("late_result_refused"));
}

TEST_F(CrashWindow, AKeyThatADeadWorkersTaskHeldIsFreeWithItsVerdict) {
    const auto with_key = [](store::NewTask& each) { each.concurrency = ConcurrencyKey{"db", 1}; };
    const Uuid dead = add_worker("dead");
    submit(with_key);
    claim(dead, 1);
    const Uuid next = submit(with_key);
    const Uuid living = add_worker("living");
    EXPECT_THAT(claim(living, 1), SizeIs(0));
    kill(dead);
    pass(seconds(1));
    sweep();
    ASSERT_THAT(claim(living, 1), SizeIs(1));
    EXPECT_EQ(task(next).state, TaskState::Running);
}

TEST_F(CrashWindow, ACancelOfATaskWhoseWorkerDiesEndsItAsCancelledAndNotAgain) {
    const Uuid worker = add_worker("w");
    const Uuid id = submit([](store::NewTask& each) { each.policy.on_crash = OnCrash::Requeue; });
    claim(worker, 1);
    store->cancel({.tasks = {id}, .who = "ann", .reason = ""});
    kill(worker);
    pass(seconds(1));
    sweep();
    EXPECT_EQ(task(id).state, TaskState::Cancelled);
}

TEST_F(CrashWindow, ACancelIsToldWithEveryBeatUntilItIsConfirmed) {
    const Uuid worker = add_worker("w");
    const Uuid id = submit();
    const store::HeldLease held{.lease = {id, claim(worker, 1).front().lease}, .running = true};
    store->cancel({.tasks = {id}, .who = "ann", .reason = ""});
    EXPECT_THAT(beat(worker, {held}).stop, SizeIs(1));
    EXPECT_THAT(beat(worker, {held}).stop, SizeIs(1)) << "the answer to the first may have been lost";
}

TEST_F(CrashWindow, ATaskThatWaitsForItsRetryIsNotUnmatched) {
    const Uuid worker = add_worker("w", {"gpu"});
    const Uuid id = submit([](store::NewTask& each) {
        each.tags = {"gpu"};
        each.policy.unmatched = holdfast::Unmatched::Fail;
        each.policy.retry.max_attempts = 2;
        each.policy.retry.delays = {std::chrono::hours(1)};
    });
    const store::Lease lease = claim(worker, 1).front().lease;
    store->turn(
        {.worker = worker,
         .finish = {{.lease = {id, lease}, .end = core::LeaseEnd::Failed, .result = {}, .error = {"E", "no", ""}}}});
    store->deregister_worker(worker);
    sweep_for(seconds(120));
    EXPECT_EQ(task(id).state, TaskState::Pending);
}

TEST_F(CrashWindow, AWorkersSlowDeclaredBeatCountsAgainstAShorterThreshold) {
    store::WorkerRegistration slow;
    slow.id = make_uuid_v4(random);
    slow.name = "slow";
    slow.queues = {"default"};
    slow.beat_interval = seconds(30);
    store->register_worker(slow);
    beat(slow.id);
    const Uuid id = submit();
    claim(slow.id, 1);
    sweep_for(seconds(90));
    EXPECT_EQ(task(id).state, TaskState::Running) << "the threshold is 15 s, but three of its beats take 90 s";
    sweep_for(seconds(2));
    EXPECT_EQ(task(id).state, TaskState::Failed);
}

}  // namespace
}  // namespace holdfast::engine::testing
