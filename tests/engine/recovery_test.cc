#include <gmock/gmock.h>

#include <functional>
#include <utility>

#include "core/task/task_spec.h"
#include "engine/recovery/manual_recovery.h"
#include "store/sqlite/database.h"
#include "tests/engine/recovery_world.h"

namespace holdfast::engine::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

using Recovery = RecoveryWorld;

TEST_F(Recovery, ClaimedTaskOfDeadWorkerIsRequeuedAtOnceWithoutCostingAnAttempt) {
    const Uuid worker = add_worker("w");
    const Uuid id = submit();
    claim(worker, 0, 1);
    sweep();
    kill(worker);
    pass(seconds(1));
    EXPECT_EQ(sweep().requeued, 1U);
    EXPECT_EQ(task(id).state, TaskState::Pending);
    EXPECT_EQ(task(id).history.attempts + task(id).history.crashes, 0);
    EXPECT_EQ(store->workers().front().status, store::WorkerStatus::Inactive);
    EXPECT_THAT(event_kinds(id), Contains("requeued"));
}

TEST_F(Recovery, RunningTaskOfDeadWorkerFailsWithWorkerCrashedAndIsNotRunAgain) {
    const Uuid worker = add_worker("w");
    const Uuid id = submit();
    claim(worker, 1);
    sweep();
    kill(worker);
    pass(seconds(1));
    EXPECT_EQ(sweep().ended, 1U);
    EXPECT_EQ(task(id).state, TaskState::Failed);
    EXPECT_EQ(task(id).error->code, error_code::worker_crashed);
    EXPECT_THAT(task(id).error->data, HasSubstr("\"evidence\":\"exited\""));
    EXPECT_TRUE(host.cleared.contains(worker)) << "what it left running is killed first (P7)";
}

TEST_F(Recovery, ATaskThatSaysSoIsRunAgainAndFailsAsPoisonAfterTooManyCrashes) {
    const Uuid id = submit([](store::NewTask& each) {
        each.policy.on_crash = OnCrash::Requeue;
        each.policy.max_crashes = 2;
    });
    for (int crash = 1; crash <= 3; ++crash) {
        const Uuid worker = add_worker("w" + std::to_string(crash));
        sweep();
        pass(std::chrono::minutes(2));
        beat(worker);
        ASSERT_EQ(claim(worker, 1).size(), 1U) << crash;
        kill(worker);
        sweep();
        EXPECT_EQ(task(id).state, crash <= 2 ? TaskState::Pending : TaskState::Failed);
    }
    EXPECT_EQ(task(id).error->code, error_code::poison_task);
}

TEST_F(Recovery, NothingIsRunAgainWhileProcessesOfTheDeadWorkerCannotBeKilled) {
    const Uuid worker = add_worker("w");
    const Uuid id = submit([](store::NewTask& each) { each.policy.on_crash = OnCrash::Requeue; });
    claim(worker, 1);
    sweep();
    kill(worker);
    host.clears = false;
    pass(seconds(1));
    EXPECT_EQ(sweep().skipped, 1U);
    EXPECT_EQ(task(id).state, TaskState::Running);
    host.clears = true;
    pass(seconds(1));
    EXPECT_EQ(sweep().rerun, 1U) << "found again, though the worker was marked before";
}

TEST_F(Recovery, ASilentWorkerIsJudgedAfterTheThresholdAndNotBefore) {
    const Uuid worker = add_worker("w");
    const Uuid id = submit();
    claim(worker, 1);
    EXPECT_EQ(sweep_for(seconds(16)).ended, 0U);
    EXPECT_EQ(task(id).state, TaskState::Running);
    EXPECT_EQ(sweep_for(seconds(2)).ended, 1U);
    EXPECT_THAT(task(id).error->message, HasSubstr("silent"));
}

TEST_F(Recovery, AWorkerBehindAServerIsNotJudgedByWhatThisMachineSees) {
    const Uuid worker = add_worker_behind_a_server("w");
    const Uuid id = submit();
    claim(worker, 1);
    kill(worker);  // its lock is free, and a process of that number is gone: here
    EXPECT_TRUE(sweep_for(std::chrono::minutes(1), {worker}).is_empty());
    EXPECT_EQ(task(id).state, TaskState::Running);
}

TEST_F(Recovery, AWorkerBehindAServerIsLostWhenItsStreamHasEndedAndItDoesNotBeat) {
    const Uuid worker = add_worker_behind_a_server("w");
    const Uuid id = submit();
    claim(worker, 1);
    sweep_for(seconds(6), {worker});
    store->note_disconnected({worker});
    EXPECT_EQ(sweep_for(seconds(3)).ended, 0U);
    EXPECT_EQ(sweep_for(seconds(2)).ended, 1U);
    EXPECT_THAT(task(id).error->message, HasSubstr("disconnected"));
}

TEST_F(Recovery, AWorkerBehindAServerIsLostAtOnceByTheTestimonyOfItsKeeper) {
    const Uuid worker = add_worker_behind_a_server("w");
    const Uuid id = submit([](store::NewTask& each) { each.policy.on_crash = OnCrash::Requeue; });
    claim(worker, 1);
    sweep();
    store->note_exited(worker);
    pass(seconds(1));
    EXPECT_EQ(sweep().rerun, 1U);
    EXPECT_EQ(task(id).state, TaskState::Pending);
}

TEST_F(Recovery, ABeatWithdrawsWhatAServerReported) {
    const Uuid worker = add_worker_behind_a_server("w");
    const Uuid id = submit();
    claim(worker, 1);
    sweep();
    store->note_disconnected({worker});
    EXPECT_TRUE(sweep_for(seconds(2)).is_empty());
    EXPECT_TRUE(sweep_for(seconds(30), {worker}).is_empty());
    EXPECT_EQ(task(id).state, TaskState::Running);
}

TEST_F(Recovery, AWorkerThatBeatsIsNeverJudgedHoweverLongItRuns) {
    const Uuid worker = add_worker("w");
    const Uuid id = submit();
    claim(worker, 1);
    const RecoveryReport report = sweep_for(std::chrono::minutes(20), {worker});
    EXPECT_TRUE(report.is_empty());
    EXPECT_EQ(task(id).state, TaskState::Running);
}

TEST_F(Recovery, AnObserverThatWasAwayJudgesNobodyByThatTime) {
    const Uuid worker = add_worker("w");
    submit();
    claim(worker, 1);
    sweep_for(seconds(10));
    pass(std::chrono::hours(1));
    EXPECT_TRUE(sweep().is_empty());
    EXPECT_TRUE(sweep_for(seconds(14)).is_empty());
    EXPECT_EQ(sweep_for(seconds(3)).ended, 1U);
}

TEST_F(Recovery, OnlyTheHolderOfTheSweepLeaseActsOnSilenceAndEverybodyOnDeath) {
    const Uuid silent = add_worker("silent");
    const Uuid dead = add_worker("dead");
    submit();
    submit();
    claim(silent, 1);
    claim(dead, 1);
    const auto second = make_sweeper("second");
    sweep();
    for (int i = 0; i < 20; ++i) {
        pass(seconds(1));
        EXPECT_TRUE(store->sweep_lease("sweeper", seconds(3)).held);
        EXPECT_TRUE(sweep(*second).is_empty());
    }
    kill(dead);
    pass(seconds(1));
    EXPECT_TRUE(store->sweep_lease("sweeper", seconds(3)).held);
    EXPECT_EQ(sweep(*second).ended, 1U);
    pass(seconds(4));
    EXPECT_EQ(sweep(*second).ended, 1U) << "the first one is gone, and the second has been looking all the time";
}

TEST_F(Recovery, TwoSweepersAtOnceMakeOneTransition) {
    const Uuid worker = add_worker("w");
    const Uuid id = submit([](store::NewTask& each) { each.policy.on_crash = OnCrash::Requeue; });
    claim(worker, 1);
    const auto second = make_sweeper("second");
    sweep();
    sweep(*second);
    kill(worker);
    pass(seconds(1));
    RecoveryReport between;
    host.while_clearing = [&] { between = sweep(*second); };
    RecoveryReport both = sweep();  // it has read the leases that the second one ends meanwhile
    both += between;
    EXPECT_EQ(between.rerun, 1U);
    EXPECT_EQ(both.rerun + both.ended, 1U);
    EXPECT_EQ(task(id).history.crashes, 1);
}

TEST_F(Recovery, AFencedTaskOfADisappearedWorkerIsNotGivenAwayBeforeItsFence) {
    settings.thresholds.worker_stale = seconds(10);
    sweeper = make_sweeper("sweeper");
    const Uuid worker = add_worker("w");  // declares a fence of 15 s
    const Uuid plain = submit();
    const Uuid fenced = submit([](store::NewTask& each) { each.policy.on_crash = OnCrash::Requeue; });
    claim(worker, 2);
    sweep_for(seconds(13));
    EXPECT_EQ(task(plain).state, TaskState::Failed);
    EXPECT_EQ(task(fenced).state, TaskState::Running);
    sweep_for(seconds(4));
    EXPECT_EQ(task(fenced).state, TaskState::Pending);
}

TEST_F(Recovery, ALateResultOfAWorkerThatComesBackIsRefusedAndTheWorkerIsActiveAgain) {
    const Uuid worker = add_worker("w");
    const Uuid id = submit();
    const store::ClaimedTask claimed = claim(worker, 1).front();
    sweep_for(seconds(20));
    ASSERT_EQ(task(id).state, TaskState::Failed);
    const auto answer =
        store->turn({.worker = worker, .finish = {{.lease = {id, claimed.lease}, .result = "42", .error = {}}}});
    EXPECT_EQ(answer.finished.front().fenced, store::Fenced::LeaseLost);
    EXPECT_EQ(task(id).state, TaskState::Failed);
    beat(worker);
    submit();
    EXPECT_EQ(claim(worker, 1).size(), 1U);
}

TEST_F(Recovery, WithBothFlagsOffTasksStayWhereTheyAre) {
    const auto [running, claimed] = let_a_worker_die_with_both_flags_off();
    EXPECT_EQ(task(running).state, TaskState::Running);
    EXPECT_EQ(task(claimed).state, TaskState::Claimed);
}

TEST_F(Recovery, ARunWhoseRunnerIsSilentEndsOverTheHeadOfItsLiveWorkerAfterTheThreshold) {
    const Uuid worker = add_worker("w");
    const Uuid id = submit();
    const store::ClaimedTask claimed = claim(worker, 1).front();
    Duration age{};
    for (int second = 0; second < 400 && task(id).state == TaskState::Running; ++second) {
        pass(seconds(1));
        age += seconds(1);
        beat(worker, {{.lease = {id, claimed.lease}, .running = true, .runner_pid = 1, .runner_beat_age = age}});
        sweep();
    }
    EXPECT_GT(age, seconds(300));
    EXPECT_EQ(task(id).state, TaskState::Failed);
    EXPECT_THAT(task(id).error->message, HasSubstr("Worker process crashed (no runner heartbeat for 3"));
}

TEST_F(Recovery, ALeaseThatItsLiveWorkerDoesNotListIsRequeuedAfterTheThreshold) {
    const Uuid worker = add_worker("w");
    const Uuid id = submit();
    claim(worker, 0, 1);
    for (int second = 0; second < 110; ++second) {
        pass(seconds(1));
        beat(worker);
        sweep();
    }
    EXPECT_EQ(task(id).state, TaskState::Claimed);
    for (int second = 0; second < 60; ++second) {
        pass(seconds(1));
        beat(worker);
        sweep();
    }
    EXPECT_EQ(task(id).state, TaskState::Pending);
}

/// A sweeper draws from this after it has judged, and before it writes.
struct RandomThatIsHeld : EvenRandom {
    std::uint64_t next() override {
        std::exchange(meanwhile, [] {})();
        return EvenRandom::next();
    }
    std::function<void()> meanwhile = [] {};
};

TEST_F(Recovery, ABeatThatListsALeaseAgainRefutesTheVerdictThatWasJustReached) {
    const Uuid worker = add_worker("w");
    const Uuid id = submit();
    const store::Lease lease = claim(worker, 0, 1).front().lease;
    RandomThatIsHeld held;
    Sweeper judge(*store, host, held, "judge", settings, [this] { return now; });
    bool was_judged = false;
    held.meanwhile = [&] {
        was_judged = true;
        beat(worker, {{.lease = {id, lease}}});
    };
    for (int second = 0; second < 200 && !was_judged; ++second) {
        pass(seconds(1));
        beat(worker);
        sweep(judge);
    }
    ASSERT_TRUE(was_judged);
    EXPECT_EQ(task(id).state, TaskState::Claimed);
    for (int second = 0; second < 200; ++second) {
        pass(seconds(1));
        beat(worker, {{.lease = {id, lease}}});
        EXPECT_EQ(sweep(judge).requeued, 0U);
    }
    EXPECT_EQ(task(id).state, TaskState::Claimed);
}

TEST_F(Recovery, ARunThatItsWorkerForgetsToStopInTimeIsAskedFor) {
    const Uuid worker = add_worker("w");
    const Uuid id = submit([](store::NewTask& each) { each.policy.timeout = seconds(10); });
    claim(worker, 1);
    const RecoveryReport report = sweep_for(seconds(100), {worker});
    EXPECT_EQ(report.asked, 1U);
    EXPECT_EQ(task(id).state, TaskState::Running) << "its worker confirms";
}

TEST_F(Recovery, ARunIsNotOutOfTimeByAClockThatJumped) {
    const Uuid worker = add_worker("w");
    submit([](store::NewTask& each) { each.policy.timeout = seconds(60); });
    claim(worker, 1);
    sweep_for(seconds(10), {worker});
    clock.at += std::chrono::hours(8);
    EXPECT_EQ(sweep_for(seconds(70), {worker}).asked, 0U);
    EXPECT_EQ(sweep_for(seconds(90), {worker}).asked, 1U) << "by the time that passed";
}

TEST_F(Recovery, AContainerIsStoppedBeforeItsTaskRunsAgainAndFailsWhenNobodyCan) {
    const auto container = [](store::NewTask& each) {
        core::TaskSpec spec;
        spec.kind = core::TaskKind::Docker;
        spec.image = "busybox";
        each.spec = core::to_json_text(spec);
        each.policy.on_crash = OnCrash::Requeue;
    };
    const Uuid worker = add_worker("w");
    const Uuid id = submit(container);
    const store::Lease lease = claim(worker, 1).front().lease;
    sweep();
    kill(worker);
    pass(seconds(1));
    EXPECT_EQ(sweep().rerun, 1U);
    EXPECT_TRUE(host.stopped.contains(lease));

    host.stops = false;
    const Uuid another = add_worker("another");
    ASSERT_EQ(claim(another, 1).size(), 1U);
    kill(another);
    sweep_for(seconds(290));
    EXPECT_EQ(task(id).state, TaskState::Running);
    sweep_for(seconds(20));
    EXPECT_EQ(task(id).state, TaskState::Failed);
}

TEST_F(Recovery, ARunOutOfTimeOnASilentWorkerFailsWithItsTimeout) {
    const Uuid worker = add_worker("w");
    const Uuid late = submit([](store::NewTask& each) {
        each.policy.timeout = seconds(3);
        each.policy.retry.max_attempts = 5;
    });
    const Uuid in_time = submit([](store::NewTask& each) { each.policy.timeout = std::chrono::hours(1); });
    const Uuid may_run_again = submit([](store::NewTask& each) {
        each.policy.timeout = seconds(3);
        each.policy.on_crash = OnCrash::Requeue;
    });
    claim(worker, 3);
    sweep_for(seconds(20));
    EXPECT_EQ(task(late).state, TaskState::Failed) << "not retried: nobody knows that its run is dead";
    EXPECT_EQ(task(late).error->code, error_code::task_timeout);
    EXPECT_THAT(task(late).error->message, HasSubstr("worker silent"));
    EXPECT_EQ(task(in_time).error->code, error_code::worker_crashed);
    EXPECT_EQ(task(may_run_again).error->code, error_code::task_timeout);
}

TEST_F(Recovery, ARunOutOfTimeThatMayRunAgainWaitsForTheFenceOfItsSilentWorker) {
    settings.thresholds.worker_stale = seconds(10);
    sweeper = make_sweeper("sweeper");
    const Uuid worker = add_worker("w");  // declares a fence of 15 s
    const Uuid id = submit([](store::NewTask& each) {
        each.policy.timeout = seconds(2);
        each.policy.retry.max_attempts = 2;
        each.policy.on_crash = OnCrash::Requeue;
    });
    claim(worker, 1);
    sweep_for(seconds(14));
    EXPECT_EQ(task(id).state, TaskState::Running);
    sweep_for(seconds(4));
    EXPECT_EQ(task(id).state, TaskState::Pending) << "its policy tries again what took too long";
    EXPECT_EQ(store->attempts(id).front().error->code, error_code::task_timeout);
}

TEST_F(Recovery, AContainerOutOfTimeOnASilentWorkerDoesNotWaitForTheStaleThreshold) {
    host.stops = false;
    const Uuid worker = add_worker("w");
    const Uuid id = submit([](store::NewTask& each) {
        core::TaskSpec spec;
        spec.kind = core::TaskKind::Docker;
        spec.image = "busybox";
        each.spec = core::to_json_text(spec);
        each.policy.timeout = seconds(30);
    });
    claim(worker, 1);
    sweep_for(seconds(30));
    EXPECT_EQ(task(id).state, TaskState::Running);
    sweep_for(seconds(20));
    EXPECT_EQ(task(id).state, TaskState::Failed);
    EXPECT_EQ(task(id).error->code, error_code::task_timeout);
}

TEST_F(Recovery, ACancelOfARunOutOfTimeOnASilentWorkerEndsItAsCancelled) {
    const Uuid worker = add_worker("w");
    const Uuid id = submit([](store::NewTask& each) { each.policy.timeout = seconds(3); });
    claim(worker, 1);
    store->cancel({.tasks = {id}, .who = "ann", .reason = ""});
    sweep_for(seconds(20));
    EXPECT_EQ(task(id).state, TaskState::Cancelled);
}

TEST_F(Recovery, NoProcessJudgesItsOwnWorker) {
    const Uuid self = add_worker("self"), other = add_worker("other");
    settings.self = self;
    sweeper = make_sweeper("sweeper");
    const Uuid own = submit();
    claim(self, 1);
    const Uuid foreign = submit();
    claim(other, 1);
    sweep_for(seconds(60));
    EXPECT_EQ(task(foreign).state, TaskState::Failed);
    EXPECT_EQ(task(own).state, TaskState::Running);
    for (const auto& worker : store->workers())
        EXPECT_EQ(worker.status == store::WorkerStatus::Active, worker.registration.id == self);
}

TEST_F(Recovery, AHolderOfTheSweepLeaseWhoseOwnWorkerIsSilentLetsAnotherProcessJudgeIt) {
    const Uuid self = add_worker("self");
    settings.self = self;
    sweeper = make_sweeper("self");
    settings.self.reset();
    const auto other = make_sweeper("other");
    const Uuid own = submit();
    claim(self, 1);
    for (int second = 0; second < 15; ++second) {
        sweep();
        sweep(*other);
        pass(seconds(1));
    }
    EXPECT_EQ(task(own).state, TaskState::Running);
    for (int second = 0; second < 10; ++second) {
        sweep();
        sweep(*other);
        pass(seconds(1));
    }
    EXPECT_EQ(task(own).state, TaskState::Failed);
}

TEST_F(Recovery, AHolderOfTheSweepLeaseWhoseOwnWorkerIsSilentGoesOnSweepingWhenItIsAlone) {
    settings.self = add_worker("self");
    sweeper = make_sweeper("self");
    sweep_for(seconds(60));
    submit([this](store::NewTask& each) { each.deadline = clock.now() + seconds(1); });
    EXPECT_EQ(sweep_for(seconds(10)).expired, 1U);
}

/// Leases whose worker has no row: deleted by hand, or left out by a partial restore.
struct Ownerless : RecoveryWorld {
    void delete_row(const Uuid& of) const {
        std::string digits = of.to_string();
        std::erase(digits, '-');
        sqlite::Database db((folder / "r.db").string(), sqlite::Database::Mode::ReadWrite);
        db.execute("DELETE FROM worker WHERE id = x'" + digits + "'");
    }
    const Uuid worker = add_worker("w");
    const Uuid running = submit();
    const std::vector<store::ClaimedTask> started = claim(worker, 1);
    const Uuid claimed = submit();
    const std::vector<store::ClaimedTask> held = claim(worker, 0, 1);
    const Uuid may_run_again = submit([](store::NewTask& each) { each.policy.on_crash = OnCrash::Requeue; });
    const std::vector<store::ClaimedTask> fenced = claim(worker, 1);
};

TEST_F(Ownerless, LeasesAreRecoveredAfterTheThreshold) {
    sweep();
    delete_row(worker);
    sweep_for(seconds(15));
    EXPECT_EQ(task(running).state, TaskState::Running);
    sweep_for(seconds(3));
    EXPECT_EQ(task(running).state, TaskState::Failed);
    EXPECT_EQ(task(running).error->code, error_code::worker_crashed);
    EXPECT_THAT(task(running).error->message, HasSubstr("the store has had no row for its worker"));
    EXPECT_EQ(task(claimed).state, TaskState::Pending);
    EXPECT_EQ(task(may_run_again).state, TaskState::Pending) << "its row had declared a fence of 15 s";
}

TEST_F(Ownerless, WhatMayRunAgainWaitsForTheLongestFenceWhereTheRowWasNeverSeen) {
    delete_row(worker);
    sweep_for(seconds(20));
    EXPECT_EQ(task(running).state, TaskState::Failed);
    EXPECT_EQ(task(claimed).state, TaskState::Pending);
    sweep_for(core::longest_fence - seconds(30));
    EXPECT_EQ(task(may_run_again).state, TaskState::Running);
    sweep_for(seconds(30));
    EXPECT_EQ(task(may_run_again).state, TaskState::Pending);
}

TEST_F(Ownerless, WhatItLeftRunningIsKilledBeforeItsRunsAreSettled) {
    sweep();
    delete_row(worker);
    host.clears = false;
    sweep_for(seconds(15));
    EXPECT_TRUE(host.cleared.empty()) << "it may live, and register again";
    sweep_for(seconds(3));
    EXPECT_EQ(host.cleared, std::set<Uuid>{worker});
    EXPECT_EQ(task(may_run_again).state, TaskState::Running);
    host.clears = true;
    sweep_for(seconds(2));
    EXPECT_EQ(task(may_run_again).state, TaskState::Pending);
}

TEST_F(Ownerless, AWorkerThatRegistersAgainKeepsItsLeases) {
    sweep();
    delete_row(worker);
    sweep_for(seconds(10));
    EXPECT_FALSE(beat(worker).known);
    store::WorkerRegistration again;
    again.id = worker;
    again.name = "w";
    again.queues = {"default"};
    store->register_worker(again);
    EXPECT_TRUE(sweep_for(seconds(60), {worker}).is_empty());
    EXPECT_EQ(task(running).state, TaskState::Running);
    delete_row(worker);
    sweep_for(seconds(10));
    EXPECT_EQ(task(running).state, TaskState::Running) << "it counts from the start";
}

TEST_F(Ownerless, AnObserverThatWasAwayCountsAnew) {
    sweep();
    delete_row(worker);
    sweep_for(seconds(10));
    pass(std::chrono::hours(1));
    sweep_for(seconds(14));
    EXPECT_EQ(task(running).state, TaskState::Running);
    sweep_for(seconds(4));
    EXPECT_EQ(task(running).state, TaskState::Failed);
}

TEST_F(Ownerless, ByHandWhatMayRunAgainIsAskedForAndNotGivenAway) {
    delete_row(worker);
    pass(std::chrono::minutes(10));
    const ManualAnswer answer = fail_stale_running(*store, random, {.threshold = seconds(60), .who = "ann"});
    EXPECT_EQ(answer.settled, 1U);
    EXPECT_EQ(answer.asked, 1U);
    EXPECT_EQ(task(running).state, TaskState::Failed);
    EXPECT_EQ(task(may_run_again).state, TaskState::Running) << "nobody knows when it beat last";
}

TEST_F(Ownerless, TheProcessWhoseRowIsGoneDoesNotJudgeItself) {
    settings.self = worker;
    sweeper = make_sweeper("self");
    delete_row(worker);
    EXPECT_TRUE(sweep_for(seconds(60)).is_empty());
}

TEST_F(Recovery, OverdueTasksExpire) {
    const Uuid id = submit([this](store::NewTask& each) { each.deadline = clock.now() + seconds(5); });
    EXPECT_EQ(sweep_for(seconds(7)).expired, 1U);
    EXPECT_EQ(task(id).state, TaskState::Expired);
}

struct Unserved : RecoveryWorld {
    Uuid wants(holdfast::Unmatched unmatched) {
        return submit([&](store::NewTask& each) {
            each.tags = {"gpu"};
            each.policy.unmatched = unmatched;
        });
    }
};

TEST_F(Unserved, ATaskThatSaysSoFailsAfterTheGraceAndOthersWait) {
    const Uuid failing = wants(holdfast::Unmatched::Fail);
    const Uuid waiting = wants(holdfast::Unmatched::Wait);
    const Uuid worker = add_worker("w", {"script"});
    sweep_for(seconds(29), {worker});
    EXPECT_EQ(task(failing).state, TaskState::Pending);
    sweep_for(seconds(70), {worker});
    EXPECT_EQ(task(failing).state, TaskState::Failed);
    EXPECT_THAT(task(failing).error->message, HasSubstr("No active worker with required tags to run this step"));
    EXPECT_EQ(task(waiting).state, TaskState::Pending);
}

TEST_F(Unserved, ATaskThatSaysSoFailsBehindAnyNumberThatWait) {
    for (std::size_t i = 0; i < 2 * store::max_batch_rows; ++i) wants(holdfast::Unmatched::Wait);
    const Uuid failing = wants(holdfast::Unmatched::Fail);
    EXPECT_EQ(sweep_for(seconds(70)).rejected, 1U);
    EXPECT_EQ(task(failing).state, TaskState::Failed);
}

TEST_F(Unserved, AWorkerThatJoinsInTimeSavesIt) {
    const Uuid id = wants(holdfast::Unmatched::Fail);
    sweep_for(seconds(25));
    const Uuid worker = add_worker("w", {"gpu"});
    sweep_for(seconds(100), {worker});
    EXPECT_EQ(task(id).state, TaskState::Pending);
}

TEST_F(Unserved, AnOutageFailsNothingThatWaits) {
    const Uuid id = wants(holdfast::Unmatched::Fail);
    sweep_for(seconds(25));
    pass(std::chrono::hours(1));
    sweep_for(seconds(25));
    EXPECT_EQ(task(id).state, TaskState::Pending);
}

TEST_F(Unserved, WhenTheOnlyMatchingWorkerIsStaleTheReasonSaysSo) {
    const Uuid id = wants(holdfast::Unmatched::Fail);
    settings.thresholds.worker_stale = std::chrono::hours(2);
    sweeper = make_sweeper("patient");
    add_worker("w", {"gpu"});
    sweep_for(seconds(120));
    EXPECT_EQ(task(id).state, TaskState::Failed);
    EXPECT_THAT(task(id).error->message, HasSubstr("No workers with fresh heartbeats available"));
}

TEST_F(Unserved, ATaskInTheFutureIsNotUnmatched) {
    const Uuid id = submit([this](store::NewTask& each) {
        each.tags = {"gpu"};
        each.policy.unmatched = holdfast::Unmatched::Fail;
        each.run_at = clock.now() + std::chrono::hours(1);
    });
    sweep_for(seconds(120));
    EXPECT_EQ(task(id).state, TaskState::Pending);
}

TEST_F(Unserved, ATaskOfAPausedQueueIsNotUnmatched) {
    const Uuid id = wants(holdfast::Unmatched::Fail);
    store->set_queue_paused("default", true, "test");
    sweep_for(seconds(120));
    EXPECT_EQ(task(id).state, TaskState::Pending);
}

TEST_F(Unserved, ATaskOnItsOwnThatLeavesItOpenWaits) {
    settings.unmatched_steps = core::UnmatchedRule::Fail;
    sweeper = make_sweeper("sweeper");
    const Uuid id = wants(holdfast::Unmatched::Auto);
    sweep_for(seconds(120));
    EXPECT_EQ(task(id).state, TaskState::Pending);
}

TEST_F(Unserved, TheOwnWorkerServesWhateverBecameOfItsBeats) {
    settings.thresholds.worker_stale = std::chrono::hours(2);
    settings.self = add_worker("self", {"gpu"});
    sweeper = make_sweeper("self");
    const Uuid id = wants(holdfast::Unmatched::Fail);
    sweep_for(seconds(120));
    EXPECT_EQ(task(id).state, TaskState::Pending);
}

struct Keeping : RecoveryWorld {
    /// A task that has ended now.
    Uuid end_one(const Uuid& worker) {
        const Uuid id = submit();
        const store::Lease lease = claim(worker, 1).front().lease;
        store->turn({.worker = worker, .finish = {{.lease = {id, lease}, .result = "1", .error = {}}}});
        return id;
    }
    /// Time passes with an hourly sweep, as it does for a store that is in use.
    void use_for(Duration time, const Uuid& worker) {
        for (Duration passed{}; passed < time; passed += std::chrono::hours(1)) {
            pass(std::chrono::hours(1));
            beat(worker);
            sweep();
        }
    }
    [[nodiscard]] bool is_there(const Uuid& id) { return store->find({id}).front().has_value(); }
};

TEST_F(Keeping, OldTerminalTasksGoAndEverythingElseStays) {
    const Uuid worker = add_worker("w");
    const Uuid ended = end_one(worker);
    const Uuid waiting = submit([](store::NewTask& each) { each.tags = {"nobody"}; });
    use_for(std::chrono::hours(719), worker);
    EXPECT_TRUE(is_there(ended));
    use_for(std::chrono::hours(2), worker);
    EXPECT_FALSE(is_there(ended));
    EXPECT_TRUE(is_there(waiting));
}

TEST_F(Keeping, AClockThatRunsAheadForAWhileRemovesNothing) {
    const Uuid worker = add_worker("w");
    const Uuid ended = end_one(worker);
    sweep();
    clock.at += std::chrono::hours(24 * 60);
    beat(worker);  // stamps its row by that clock, too
    const auto wrong = make_sweeper("one that starts while the clock is wrong");
    for (int minute = 0; minute < 120; ++minute) {
        pass(std::chrono::minutes(1));
        beat(worker);
        sweep();
        sweep(*wrong);
    }
    EXPECT_TRUE(is_there(ended));
    clock.at -= std::chrono::hours(24 * 60);
    use_for(std::chrono::hours(718), worker);
    EXPECT_TRUE(is_there(ended));
    use_for(std::chrono::hours(4), worker);
    EXPECT_FALSE(is_there(ended));
}

TEST_F(Keeping, AClockThatWasFarAheadIsBelievedAfterADayOfWatching) {
    const Uuid worker = add_worker("w");
    const Uuid ended = end_one(worker);
    sweep();
    pass(std::chrono::hours(24 * 60));  // nobody was there
    RecoveryReport report = sweep();
    ASSERT_EQ(report.remarks.size(), 1U);
    EXPECT_THAT(report.remarks.front(), HasSubstr("holdfast recovery prune --yes"));
    for (int minute = 0; minute < 23 * 60; ++minute) {
        pass(std::chrono::minutes(1));
        report = sweep();
    }
    EXPECT_TRUE(report.remarks.empty()) << "said once";
    EXPECT_TRUE(is_there(ended));
    for (int minute = 0; minute < 62; ++minute) {
        pass(std::chrono::minutes(1));
        sweep();
    }
    EXPECT_FALSE(is_there(ended));
}

}  // namespace
}  // namespace holdfast::engine::testing
