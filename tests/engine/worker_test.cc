#include <gmock/gmock.h>

#include "tests/engine/worker_harness.h"

namespace holdfast::engine::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Worker, RegistersThenBeatsThenClaims) {
    WorkerHarness bench;
    bench.decide();
    ASSERT_NE(bench.under_way<RegisterCall>(Lane::Beat), nullptr);
    EXPECT_EQ(bench.claiming(), nullptr);
    bench.answer(Lane::Beat, store::RegisterAnswer{1});
    ASSERT_NE(bench.under_way<BeatCall>(Lane::Beat), nullptr);
    for (const SpawnRunner& spawned : bench.take<SpawnRunner>()) bench.tell(RunnerReady{spawned.runner, 7});
    EXPECT_EQ(bench.claiming(), nullptr) << "before the first beat was acknowledged";
    bench.answer(Lane::Beat, store::BeatAnswer{});
    if (bench.under_way<SnapshotCall>(Lane::Work) != nullptr) bench.answer(Lane::Work, CallDone{});
    ASSERT_NE(bench.claiming(), nullptr);
    EXPECT_EQ(bench.take<Announce>().front().what, Announce::What::Ready);
}

TEST(Worker, TriesToBeatAgainWithinASecondHoweverLongTheStoreIsAway) {
    WorkerHarness bench;
    bench.join();
    bench.grant({});
    for (int failure = 0; failure < 20; ++failure) {
        Duration waited{};
        for (; bench.under_way<BeatCall>(Lane::Beat) == nullptr; waited += milliseconds(100))
            bench.pass(milliseconds(100));
        EXPECT_LE(waited, failure == 0 ? bench.settings.registration.beat_interval : seconds(1) + milliseconds(100));
        bench.fail(Lane::Beat);
    }
    EXPECT_TRUE(bench.worker.book().runs().empty()) << "though it holds nothing";
}

TEST(Worker, ThatCouldNotRegisterYetLeavesWhenItIsAskedToDrain) {
    WorkerHarness bench;
    bench.decide();
    ASSERT_NE(bench.under_way<RegisterCall>(Lane::Beat), nullptr);
    bench.worker.asked_to_drain("SIGTERM was received", bench.now);
    bench.decide();
    EXPECT_TRUE(bench.take<Leave>().empty()) << "the registration may succeed";
    bench.fail(Lane::Beat);
    const auto left = bench.take<Leave>();
    ASSERT_EQ(left.size(), 1U);
    EXPECT_EQ(left.front().exit_code, 0) << "it has nothing to lose";
}

TEST(Worker, ClaimsForAsManyTasksAsRunnersAreIdleAndStartsThemAtOnce) {
    WorkerHarness bench(3, {}, ClaimsGo::InTurns);
    bench.join();
    EXPECT_EQ(bench.claiming()->to_start, 3U);
    bench.grant({started_task(10)});
    EXPECT_THAT(bench.take<BeginRun>(), SizeIs(1));
    bench.worker.work_arrived();
    bench.decide();
    EXPECT_EQ(bench.claiming()->to_start, 2U);
}

TEST(Worker, AClaimIsAPartOfTheTurnWhereTheStoreCannotDoBothAtOnce) {
    WorkerHarness bench(2, {}, ClaimsGo::InTurns);
    bench.join();
    bench.grant({started_task(10), started_task(11)});
    bench.complete(10);
    ASSERT_NE(bench.finishing(), nullptr);
    EXPECT_EQ(bench.finishing(), bench.claiming());
    EXPECT_EQ(bench.claiming()->to_start, 1U);
    bench.complete(11);
    bench.grant({started_task(12)});
    EXPECT_EQ(bench.worker.book().count(RunStage::Running), 1U);
    ASSERT_NE(bench.finishing(), nullptr) << "what ended meanwhile";
    EXPECT_EQ(bench.finishing()->finish.front().lease.lease, 11);
}

TEST(Worker, ATurnWithoutAnAnswerIsRepeatedWithItsClaimAndWithWhatEndedMeanwhile) {
    WorkerHarness bench(2, {}, ClaimsGo::InTurns);
    bench.join();
    bench.grant({started_task(10), started_task(11)});
    bench.complete(10);
    ASSERT_NE(bench.claiming(), nullptr);
    const Uuid request = bench.claiming()->request;
    bench.fail(Lane::Work);
    bench.complete(11);
    EXPECT_EQ(bench.finishing(), nullptr) << "the lane waits before it tries again";
    bench.pass(seconds(1));
    ASSERT_NE(bench.claiming(), nullptr);
    EXPECT_EQ(bench.claiming()->request, request);
    EXPECT_EQ(bench.claiming()->to_start, 1U) << "as it was";
    EXPECT_THAT(bench.claiming()->finish, SizeIs(2));
    bench.grant({started_task(13)});
    EXPECT_EQ(bench.worker.book().runs().size(), 1U);
    EXPECT_EQ(bench.worker.book().count(RunStage::Running), 1U);
}

TEST(Worker, AClaimThatWasPutOffGoesBesideTheTurnsUntilNoTaskHasAKey) {
    WorkerHarness bench(2, {}, ClaimsGo::InTurnsOrBeside);
    bench.join();
    bench.grant({started_task(10), started_task(11)});
    bench.complete(10);
    EXPECT_EQ(bench.claim_lane(), Lane::Work);
    EXPECT_FALSE(bench.claiming()->may_wait);
    store::TurnAnswer put_off{.finished = {{}}};
    put_off.claimed.refusal = store::ClaimRefusal::PutOff;
    bench.answer(Lane::Work, put_off);
    ASSERT_EQ(bench.claim_lane(), Lane::Claim);
    EXPECT_TRUE(bench.claiming()->may_wait);
    bench.complete(11);
    ASSERT_NE(bench.finishing(), nullptr) << "it does not wait for the claim";
    bench.answer_work();
    auto with_key = started_task(12);
    with_key.task.concurrency = ConcurrencyKey{"key", 1};
    bench.grant({with_key});
    EXPECT_EQ(bench.claim_lane(), Lane::Claim) << "the next claim would be put off, too";
    bench.grant({started_task(13)});
    bench.complete(12);
    bench.complete(13);
    EXPECT_EQ(bench.claim_lane(), Lane::Work);
}

TEST(Worker, AClaimWhoseTurnFailedIsRepeatedBesideTheTurns) {
    WorkerHarness bench(2, {}, ClaimsGo::InTurnsOrBeside);
    bench.join();
    bench.grant({started_task(10), started_task(11)});
    bench.complete(10);
    const Uuid request = bench.claiming()->request;
    bench.fail(Lane::Work);
    bench.pass(seconds(1));
    ASSERT_EQ(bench.claim_lane(), Lane::Claim);
    EXPECT_EQ(bench.claiming()->request, request);
    ASSERT_NE(bench.finishing(), nullptr) << "what fails the claim does not fail the ends of runs";
    EXPECT_FALSE(bench.finishing()->claims());
    bench.answer_work();
    bench.grant({started_task(12)});
    bench.complete(12);
    EXPECT_EQ(bench.claim_lane(), Lane::Work);
}

TEST(Worker, ClaimsNothingMoreAfterAnAnswerThatWasNotFullUntilWorkArrives) {
    WorkerHarness bench(2);
    bench.join();
    bench.grant({});
    EXPECT_EQ(bench.claiming(), nullptr);
    bench.pass(seconds(1));
    EXPECT_EQ(bench.claiming(), nullptr);
    bench.worker.work_arrived();
    bench.decide();
    EXPECT_EQ(bench.claiming()->to_start, 2U);
}

TEST(Worker, WorkThatArrivesDuringAClaimIsNotOverheard) {
    WorkerHarness bench;
    bench.join();
    bench.worker.work_arrived();
    bench.grant({});
    EXPECT_NE(bench.claiming(), nullptr);
}

TEST(Worker, ClaimsAgainWhenATaskFallsDue) {
    WorkerHarness bench;
    bench.join();
    bench.grant({}, milliseconds(700));
    EXPECT_LE(bench.worker.wake_at(), bench.now + milliseconds(700));
    bench.pass(milliseconds(699));
    EXPECT_EQ(bench.claiming(), nullptr);
    bench.pass(milliseconds(1));
    EXPECT_NE(bench.claiming(), nullptr);
}

/// Answers whatever is under way, for as long as the worker asks.
void settle(WorkerHarness& bench, bool cordoned) {
    for (int i = 0; i < 10; ++i) {
        store::BeatAnswer beat;
        beat.cordoned = cordoned;
        if (bench.under_way<BeatCall>(Lane::Beat) != nullptr) bench.answer(Lane::Beat, beat);
        if (bench.under_way<SnapshotCall>(Lane::Work) != nullptr) bench.answer(Lane::Work, CallDone{});
        if (bench.claiming() != nullptr) bench.grant({}, seconds(1));
    }
}

TEST(Worker, NeverAsksToBeWokenForWhatItCannotDoYet) {
    for (const bool cordoned : {false, true}) {
        WorkerHarness bench(1);
        bench.join();
        bench.grant({}, seconds(1));
        for (int tick = 0; tick < 1000; ++tick) {
            settle(bench, cordoned);
            EXPECT_GT(bench.worker.wake_at(), bench.now) << "it would be asked again and again";
            bench.pass(milliseconds(100));
        }
    }
}

TEST(Worker, WaitsForAnswersWithoutTurningMeanwhile) {
    WorkerHarness bench(1);
    bench.decide();
    EXPECT_GT(bench.worker.wake_at(), bench.now) << "registering";
    bench.answer(Lane::Beat, store::RegisterAnswer{1});
    EXPECT_GT(bench.worker.wake_at(), bench.now) << "the first beat is under way";
    bench.answer(Lane::Beat, store::BeatAnswer{});
    EXPECT_GT(bench.worker.wake_at(), bench.now) << "a snapshot is under way";
    bench.answer(Lane::Work, CallDone{});
    for (const SpawnRunner& spawned : bench.take<SpawnRunner>()) bench.tell(RunnerReady{spawned.runner, 7});
    ASSERT_NE(bench.claiming(), nullptr);
    bench.pass(bench.settings.snapshot_interval);
    EXPECT_GT(bench.worker.wake_at(), bench.now) << "a claim is under way";
}

TEST(Worker, AClaimWithoutAnAnswerIsAskedAgainAsItWas) {
    WorkerHarness bench;
    bench.join();
    const Uuid request = bench.claiming()->request;
    bench.fail(Lane::Claim);
    EXPECT_EQ(bench.claiming(), nullptr);
    bench.pass(seconds(1));
    ASSERT_NE(bench.claiming(), nullptr);
    EXPECT_EQ(bench.claiming()->request, request);
    bench.grant({started_task(10)});
    EXPECT_THAT(bench.take<BeginRun>(), SizeIs(1));
}

TEST(Worker, ATaskClaimedAheadIsStartedByTheFinishThatFreesItsRunnerAndItsRunnerIsToldAfterwards) {
    WorkerHarness bench(1);
    bench.join();
    bench.grant({started_task(10), held_task(11)});
    EXPECT_THAT(bench.take<BeginRun>(), SizeIs(1));
    bench.complete(10);
    const auto* finish = bench.finishing();
    ASSERT_NE(finish, nullptr);
    EXPECT_THAT(finish->finish, SizeIs(1));
    ASSERT_THAT(finish->start, SizeIs(1));
    EXPECT_EQ(finish->start.front().lease, 11);
    EXPECT_THAT(bench.take<BeginRun>(), IsEmpty()) << "its start is not on disk yet (P4)";
    bench.answer_work();
    const auto begun = bench.take<BeginRun>();
    ASSERT_THAT(begun, SizeIs(1));
    EXPECT_EQ(begun.front().order.lease.lease, 11);
}

TEST(Worker, AStartInDoubtIsRepeatedAndItsRunnerToldOnce) {
    WorkerHarness bench(1);
    bench.join();
    bench.grant({held_task(11)});
    ASSERT_NE(bench.starting(), nullptr);
    bench.fail(Lane::Work);
    bench.pass(seconds(1));
    ASSERT_NE(bench.starting(), nullptr);
    EXPECT_THAT(bench.take<BeginRun>(), IsEmpty());
    bench.answer_work(store::Fenced::Already);
    EXPECT_THAT(bench.take<BeginRun>(), SizeIs(1));
}

TEST(Worker, AStartThatIsWithdrawnIsHandedBack) {
    WorkerHarness bench(1);
    bench.join();
    bench.grant({held_task(11)});
    bench.answer_work(store::Fenced::Withdrawn);
    const auto* call = bench.handing_back();
    ASSERT_NE(call, nullptr);
    EXPECT_EQ(call->hand_back.front().lease, 11);
    EXPECT_EQ(bench.worker.book().idle_runners(), 1U);
}

TEST(Worker, ATaskClaimedAheadThatNoRunnerGetsToIsHandedBack) {
    WorkerHarness bench(1);
    bench.join();
    bench.grant({started_task(10), held_task(11)});
    bench.pass(milliseconds(499));
    EXPECT_EQ(bench.handing_back(), nullptr);
    bench.pass(milliseconds(1));
    ASSERT_NE(bench.handing_back(), nullptr);
    bench.answer_work();
    EXPECT_EQ(bench.worker.book().runs().size(), 1U);
}

TEST(Worker, ClaimsAheadOnlyWhileRunsEndFast) {
    WorkerHarness bench(4);
    bench.join();
    store::Lease lease = 1;
    std::size_t ahead = 0;
    for (int turn = 0; turn < 2000; ++turn) {
        bench.pass(milliseconds(1));
        if (const auto* claim = bench.claiming()) {
            ahead = std::max(ahead, claim->to_hold);
            std::vector<store::ClaimedTask> tasks;
            for (std::size_t i = 0; i < claim->to_start; ++i) tasks.push_back(started_task(lease++));
            for (std::size_t i = 0; i < claim->to_hold; ++i) tasks.push_back(held_task(lease++));
            bench.grant(tasks);
        } else if (bench.finishing() != nullptr) {
            bench.answer_work();
        } else if (bench.under_way<BeatCall>(Lane::Beat) != nullptr) {
            bench.answer(Lane::Beat, store::BeatAnswer{});
        }
        const auto running = bench.worker.book().in(RunStage::Running);
        if (!running.empty()) bench.complete(*running.begin());
    }
    EXPECT_GT(ahead, 0U);
    EXPECT_LE(ahead, 8U);

    WorkerHarness slow(4);
    slow.join();
    slow.grant({started_task(1)});
    for (int run = 0; run < 10; ++run) {
        if (const auto* claim = slow.claiming()) {
            EXPECT_EQ(claim->to_hold, 0U);
            slow.grant({});
        }
        slow.pass(seconds(2));
        if (slow.under_way<BeatCall>(Lane::Beat) != nullptr) slow.answer(Lane::Beat, store::BeatAnswer{});
    }
}

TEST(Worker, ClaimsNothingAheadWhereClaimsArePartOfItsTurns) {
    WorkerHarness bench(4, {}, ClaimsGo::InTurns);
    bench.join();
    store::Lease lease = 1;
    for (int turn = 0; turn < 2000; ++turn) {
        bench.pass(milliseconds(1));
        if (const auto* claim = bench.claiming()) {
            ASSERT_EQ(claim->to_hold, 0U);
            std::vector<store::ClaimedTask> tasks;
            for (std::size_t i = 0; i < claim->to_start; ++i) tasks.push_back(started_task(lease++));
            bench.grant(tasks);
        }
        if (bench.under_way<BeatCall>(Lane::Beat) != nullptr) bench.answer(Lane::Beat, store::BeatAnswer{});
        const auto running = bench.worker.book().in(RunStage::Running);
        if (!running.empty()) bench.complete(*running.begin());
    }
    EXPECT_GT(lease, 1000) << "though its runs end fast";
}

/// A worker whose runs lasted a few hundred microseconds lately, and four of them that have just begun.
class ShortRuns : public ::testing::Test {
protected:
    void SetUp() override {
        bench.join();
        for (int round = 0; round < 40; ++round) {
            begin_four();
            for (store::Lease run = lease - 4; run < lease; ++run) end_after(run, std::chrono::microseconds(100));
        }
        begin_four();
    }
    void begin_four() {
        if (bench.under_way<BeatCall>(Lane::Beat) != nullptr) bench.answer(Lane::Beat, store::BeatAnswer{});
        while (bench.under_way<TurnCall>(Lane::Work) != nullptr) bench.answer_work();
        bench.worker.work_arrived();
        bench.decide();
        std::vector<store::ClaimedTask> tasks;
        for (int i = 0; i < 4; ++i) tasks.push_back(started_task(lease++));
        bench.grant(tasks);
        ASSERT_EQ(bench.worker.book().count(RunStage::Running), 4U);
    }
    void end_after(store::Lease run, Duration time) {
        bench.pass(time);
        bench.complete(run);
    }

    WorkerHarness bench{4, {}, ClaimsGo::InTurns};
    store::Lease lease = 1;
};

TEST_F(ShortRuns, AreReportedTogether) {
    for (store::Lease run = lease - 4; run < lease - 1; ++run) {
        end_after(run, std::chrono::microseconds(50));
        EXPECT_EQ(bench.finishing(), nullptr) << "others are about to end";
    }
    end_after(lease - 1, std::chrono::microseconds(50));
    ASSERT_NE(bench.finishing(), nullptr) << "none is left to wait for";
    EXPECT_THAT(bench.finishing()->finish, SizeIs(4));
    EXPECT_EQ(bench.finishing()->to_start, 4U);
}

TEST_F(ShortRuns, DoNotWaitForOneThatLastsLonger) {
    for (store::Lease run = lease - 4; run < lease - 1; ++run) end_after(run, std::chrono::microseconds(50));
    ASSERT_EQ(bench.finishing(), nullptr);
    const Duration wake_at = bench.worker.wake_at();
    EXPECT_LE(wake_at - bench.now, milliseconds(1));
    bench.pass(wake_at - bench.now);
    ASSERT_NE(bench.finishing(), nullptr);
    EXPECT_THAT(bench.finishing()->finish, SizeIs(3));
}

TEST_F(ShortRuns, DoNotWaitLongerBecauseOfAFewLongOnes) {
    for (int round = 0; round < 40; ++round) {
        for (store::Lease run = lease - 4; run < lease - 1; ++run) end_after(run, std::chrono::microseconds(100));
        end_after(lease - 1, milliseconds(2));
        begin_four();
    }
    const Duration began = bench.now;
    end_after(lease - 4, std::chrono::microseconds(50));
    ASSERT_EQ(bench.finishing(), nullptr);
    EXPECT_LE(bench.worker.wake_at() - began, std::chrono::microseconds(800));
}

TEST_F(ShortRuns, AreNotWaitedForOnceRunsLastLong) {
    for (int round = 0; round < 10; ++round) {
        for (store::Lease run = lease - 4; run < lease; ++run) end_after(run, milliseconds(20));
        begin_four();
    }
    end_after(lease - 4, std::chrono::microseconds(50));
    ASSERT_NE(bench.finishing(), nullptr);
    EXPECT_THAT(bench.finishing()->finish, SizeIs(1));
}

TEST(Worker, ATurnThatReportsAnEndClaimsWhatTheEndMayHaveBroughtInReach) {
    WorkerHarness bench(2, {}, ClaimsGo::InTurns);
    bench.join();
    bench.grant({started_task(10)});
    EXPECT_EQ(bench.claiming(), nullptr) << "one runner is idle, but there was no task for it";
    bench.complete(10);
    ASSERT_NE(bench.finishing(), nullptr);
    EXPECT_EQ(bench.finishing()->to_start, 2U);
    bench.grant({});
    EXPECT_EQ(bench.claiming(), nullptr) << "there was nothing again";
}

TEST(Worker, IsReadyWhenItHasJoinedAndItsRunnersHaveBooted) {
    WorkerHarness bench;
    bench.decide();
    const auto runners = bench.take<SpawnRunner>();
    ASSERT_THAT(runners, SizeIs(2));
    bench.answer(Lane::Beat, store::RegisterAnswer{1});
    bench.tell(RunnerReady{runners[0].runner, 7});
    bench.answer(Lane::Beat, store::BeatAnswer{});
    EXPECT_THAT(bench.take<Announce>(), IsEmpty());
    bench.tell(RunnerReady{runners[1].runner, 8});
    ASSERT_THAT(bench.take<Announce>(), SizeIs(1));
    bench.pass(seconds(30));
    EXPECT_THAT(bench.take<Announce>(), IsEmpty()) << "it says so once";
}

TEST(Worker, IsReadyThoughARunnerDoesNotBoot) {
    WorkerHarness bench;
    bench.decide();
    bench.answer(Lane::Beat, store::RegisterAnswer{1});
    bench.answer(Lane::Beat, store::BeatAnswer{});
    EXPECT_THAT(bench.take<Announce>(), IsEmpty());
    bench.pass(bench.settings.runner_boot);
    EXPECT_THAT(bench.take<Announce>(), SizeIs(1));
}

TEST(Worker, ResultsOutliveAnOutageAndAreDelivered) {
    WorkerHarness bench(2);
    bench.join();
    bench.grant({started_task(10), started_task(11)});
    bench.complete(10);
    ASSERT_NE(bench.claiming(), nullptr);
    const Uuid in_doubt = bench.claiming()->request;
    bench.fail(Lane::Work);
    bench.fail(Lane::Claim);
    bench.complete(11);
    for (int second = 0; second < 100; ++second) {
        bench.pass(seconds(1));
        if (const auto* claim = bench.claiming()) {
            EXPECT_EQ(claim->request, in_doubt) << "a new claim during an outage";
            bench.fail(Lane::Claim);
        }
        if (bench.finishing() != nullptr) bench.fail(Lane::Work);
        if (bench.under_way<BeatCall>(Lane::Beat) != nullptr) bench.fail(Lane::Beat);
    }
    bench.pass(seconds(1));
    const auto* finish = bench.finishing();
    ASSERT_NE(finish, nullptr);
    EXPECT_THAT(finish->finish, SizeIs(2));
    bench.answer_work();
    EXPECT_TRUE(bench.worker.book().runs().empty());
}

TEST(Worker, WithLeasesInHandTheBeatIsTriedAtLeastEverySecond) {
    WorkerHarness bench(1);
    bench.join();
    bench.grant({started_task(10)});
    int tries = 0;
    for (int tick = 0; tick < 300; ++tick) {
        bench.pass(milliseconds(100));
        if (bench.under_way<BeatCall>(Lane::Beat) == nullptr) continue;
        ++tries;
        bench.fail(Lane::Beat);
    }
    EXPECT_GE(tries, 27);
}

TEST(Worker, ARunnersDeathEndsItsRunAndOnlyIts) {
    WorkerHarness bench(2);
    bench.join();
    bench.grant({started_task(10), started_task(11)});
    bench.tell(RunnerGone{bench.runner_of(10), "killed by SIGSEGV"});
    const auto* finish = bench.finishing();
    ASSERT_NE(finish, nullptr);
    ASSERT_THAT(finish->finish, SizeIs(1));
    EXPECT_EQ(finish->finish.front().end, core::LeaseEnd::Crashed);
    EXPECT_EQ(finish->finish.front().error.code, error_code::worker_crashed);
    EXPECT_THAT(finish->finish.front().error.message, ::testing::HasSubstr("killed by SIGSEGV"));
    EXPECT_THAT(bench.take<SpawnRunner>(), SizeIs(1)) << "another takes its place";
    EXPECT_EQ(bench.worker.book().count(RunStage::Running), 1U);
}

TEST(Worker, ABystanderOfADeathCostsNeitherAnAttemptNorACrash) {
    WorkerHarness bench(2);
    bench.join();
    bench.grant({started_task(10), started_task(11)});
    bench.tell(RunnerGone{bench.runner_of(10), "killed by SIGKILL", false, RunFate::Bystander});
    const auto* finish = bench.finishing();
    ASSERT_NE(finish, nullptr);
    EXPECT_EQ(finish->finish.front().end, core::LeaseEnd::Stopped);
    EXPECT_EQ(finish->finish.front().error.code, error_code::worker_crashed);
}

TEST(Worker, HandsBackARunNoneOfWhoseCodeHasRun) {
    WorkerHarness bench(2);
    bench.join();
    bench.grant({started_task(10)});
    bench.tell(RunnerGone{bench.runner_of(10), "cannot be started", false, RunFate::Unbegun});
    const auto* finish = bench.finishing();
    ASSERT_NE(finish, nullptr);
    EXPECT_EQ(finish->finish.front().end, core::LeaseEnd::NotStarted);
}

TEST(Worker, RegistersAgainWhenItsTagsChange) {
    WorkerHarness bench(1);
    bench.join();
    bench.worker.tags_changed({"task:new"}, bench.now);
    bench.decide();
    const auto* call = bench.under_way<RegisterCall>(Lane::Beat);
    ASSERT_NE(call, nullptr);
    EXPECT_THAT(call->registration.tags, ::testing::ElementsAre("task:new"));
    bench.answer(Lane::Beat, store::RegisterAnswer{});
    bench.worker.tags_changed({"task:new"}, bench.now);
    bench.decide();
    EXPECT_EQ(bench.under_way<RegisterCall>(Lane::Beat), nullptr) << "they are the same";
}

TEST(Worker, ARunnerThatWasToldToDieIsGivenNothingMore) {
    WorkerSettings settings;
    settings.task_timeout = seconds(1);
    WorkerHarness bench(1, settings);
    bench.join();
    bench.grant({started_task(10), held_task(11)});
    for (int tick = 0; tick < 70; ++tick) bench.pass(milliseconds(100));
    ASSERT_THAT(bench.take<KillRunner>(), SizeIs(1));
    EXPECT_THAT(bench.take<BeginRun>(), SizeIs(1));
    bench.tell(RunEnded{.runner = bench.runner_of(10), .lease = 10, .saw_stop = true});  // was on its way
    EXPECT_EQ(bench.worker.book().idle_runners(), 0U);
    bench.tell(RunnerGone{1, "killed by SIGKILL"});
    EXPECT_THAT(bench.take<BeginRun>(), IsEmpty());
    EXPECT_THAT(bench.take<SpawnRunner>(), SizeIs(1));
}

TEST(Worker, GivesBackTheRoomOfLogsThatNobodyWillStore) {
    WorkerHarness bench(1);
    bench.join();
    bench.grant({started_task(10)});
    const RunnerId runner = bench.runner_of(10);
    const store::TaskLease lease = bench.worker.book().runs().at(10).lease();
    bench.tell(RunLog{runner, 10, "stdout", "hello\n", {}});
    bench.fail(Lane::Work);
    while (bench.under_way<BeatCall>(Lane::Beat) == nullptr) bench.pass(milliseconds(100));
    store::BeatAnswer lost;
    lost.lost = {lease};
    bench.answer(Lane::Beat, lost);
    if (bench.under_way<AppendLogsCall>(Lane::Work) != nullptr) bench.fail(Lane::Work);
    bench.tell(RunnerGone{runner, "killed by SIGKILL"});
    bench.decide();
    EXPECT_TRUE(bench.worker.book().runs().empty());
    EXPECT_EQ(bench.take<LogsStored>().size(), 1U);
}

TEST(Worker, AnIdleWorkerSleepsThroughAnOutage) {
    WorkerHarness bench(1);
    bench.join();
    bench.grant({});
    bench.pass(bench.settings.snapshot_interval);
    ASSERT_NE(bench.under_way<SnapshotCall>(Lane::Work), nullptr);
    bench.fail(Lane::Work);
    if (bench.under_way<BeatCall>(Lane::Beat) != nullptr) bench.fail(Lane::Beat);
    bench.pass(milliseconds(501));
    if (bench.under_way<BeatCall>(Lane::Beat) != nullptr) bench.fail(Lane::Beat);
    bench.decide();
    EXPECT_GT(bench.worker.wake_at(), bench.now);
}

TEST(Worker, AStartInDoubtIsNotRepeatedOnlyToBeStopped) {
    WorkerSettings settings;
    settings.shutdown_grace = seconds(1);
    WorkerHarness bench(1, settings);
    bench.join();
    bench.grant({held_task(11)});
    ASSERT_NE(bench.starting(), nullptr);
    bench.fail(Lane::Work);
    bench.worker.asked_to_drain("test", bench.now);
    for (int tick = 0; tick < 30; ++tick) {
        bench.pass(milliseconds(100));
        if (bench.starting() != nullptr) bench.fail(Lane::Work);
        if (bench.under_way<BeatCall>(Lane::Beat) != nullptr) bench.fail(Lane::Beat);
        if (bench.handing_back() != nullptr) break;
    }
    ASSERT_NE(bench.handing_back(), nullptr);
    bench.answer_work(store::Fenced::LeaseLost);  // it had been started after all
    const auto* finish = bench.finishing();
    ASSERT_NE(finish, nullptr);
    EXPECT_EQ(finish->finish.front().end, core::LeaseEnd::Stopped);
}

TEST(Worker, ATaskThatAClaimBringsAfterEverythingWasStoppedIsNotBegun) {
    WorkerHarness bench(1);
    bench.join();
    ASSERT_NE(bench.claiming(), nullptr);
    bench.worker.asked_to_drain("test", bench.now);
    bench.worker.asked_to_drain("test", bench.now);
    bench.decide();
    bench.grant({started_task(10)});
    EXPECT_THAT(bench.take<BeginRun>(), IsEmpty());
    EXPECT_NE(bench.finishing(), nullptr);
}

TEST(Worker, ARunnerThatDiesBeforeItWasToldCostsItsTaskNothing) {
    WorkerHarness bench(1);
    bench.join();
    bench.grant({held_task(11)});
    bench.tell(RunnerGone{bench.runner_of(11), "exit code 1"});
    bench.answer_work();
    EXPECT_THAT(bench.take<BeginRun>(), IsEmpty());
    bench.pass(seconds(1));
    const auto spawned = bench.take<SpawnRunner>();
    ASSERT_THAT(spawned, SizeIs(1));
    bench.tell(RunnerReady{spawned.front().runner, 8});
    EXPECT_THAT(bench.take<BeginRun>(), SizeIs(1));
}

TEST(Worker, ARunnerThatDoesNotBootIsKilledAndTheNextOnesAreTriedLessAndLessOften) {
    WorkerHarness bench(1);
    bench.decide();
    const RunnerId first = bench.take<SpawnRunner>().front().runner;
    bench.pass(seconds(11));
    EXPECT_EQ(bench.take<KillRunner>().front().runner, first);
    int spawned = 0;
    bench.tell(RunnerGone{first, "killed by SIGKILL"});
    for (int tick = 0; tick < 600; ++tick) {
        bench.pass(milliseconds(100));
        for (const SpawnRunner& each : bench.take<SpawnRunner>()) {
            ++spawned;
            bench.tell(RunnerGone{each.runner, "exit code 1"});
        }
    }
    EXPECT_GE(spawned, 3);
    EXPECT_LE(spawned, 12);
}

TEST(Worker, ASilentRunnerIsKilled) {
    WorkerSettings settings;
    settings.task_timeout = std::chrono::hours(1);
    WorkerHarness bench(1, settings);
    bench.join();
    bench.grant({started_task(10)});
    const RunnerId runner = bench.runner_of(10);
    for (int second = 0; second < 299; ++second) {
        bench.pass(seconds(1));
        if (second == 200) bench.tell(RunnerBeat{runner});
        if (bench.under_way<BeatCall>(Lane::Beat) != nullptr) bench.answer(Lane::Beat, store::BeatAnswer{});
    }
    EXPECT_THAT(bench.take<KillRunner>(), IsEmpty());
    bench.pass(seconds(203));
    EXPECT_THAT(bench.take<KillRunner>(), SizeIs(1));
}

TEST(Worker, ARunIsNotGivenToARunnerThatWasToldToDieWhileItsStartWasOnItsWay) {
    WorkerHarness bench(1);
    bench.join();
    bench.grant({started_task(10), held_task(11)});
    bench.complete(10);
    ASSERT_NE(bench.finishing(), nullptr);
    const RunnerId runner = bench.runner_of(11);
    ASSERT_NE(runner, 0U);
    (void)bench.take<BeginRun>();
    bench.pass(std::chrono::minutes(6));  // stopped, perhaps: nothing was heard of the runner meanwhile
    ASSERT_EQ(bench.take<KillRunner>().front().runner, runner);
    bench.answer_work();
    EXPECT_THAT(bench.take<BeginRun>(), IsEmpty());
    bench.tell(RunnerGone{runner, "killed by SIGKILL"});
    const auto spawned = bench.take<SpawnRunner>();
    ASSERT_THAT(spawned, SizeIs(1));
    bench.answer(Lane::Beat, store::BeatAnswer{});
    bench.tell(RunnerReady{spawned.front().runner, 7});
    const auto begun = bench.take<BeginRun>();
    ASSERT_THAT(begun, SizeIs(1));
    EXPECT_EQ(begun.front().runner, spawned.front().runner);
}

TEST(Worker, LogsAndCheckpointsGoBeforeTheEndOfTheirRun) {
    WorkerHarness bench(1);
    bench.join();
    bench.grant({started_task(10)});
    const RunnerId runner = bench.runner_of(10);
    bench.worker.handle(RunLog{runner, 10, "stdout", "hello\n", {}}, bench.now);
    bench.worker.handle(RunProgress{runner, 10, 0.5, "half", "{\"at\":5}"}, bench.now);
    bench.complete(10);
    const auto* logs = bench.under_way<AppendLogsCall>(Lane::Work);
    ASSERT_NE(logs, nullptr);
    EXPECT_EQ(logs->chunks.front().text, "hello\n");
    bench.answer_work();
    EXPECT_EQ(bench.take<LogsStored>().front().bytes, 6U);
    const auto* progress = bench.under_way<SaveProgressCall>(Lane::Work);
    ASSERT_NE(progress, nullptr);
    EXPECT_EQ(progress->reports.front().checkpoint, "{\"at\":5}");
    bench.answer_work();
    EXPECT_NE(bench.finishing(), nullptr);
}

TEST(Worker, HearsAboutARunOnlyFromItsOwnRunner) {
    WorkerHarness bench(2);
    bench.join();
    bench.grant({started_task(10), started_task(11)});
    const RunnerId other = bench.runner_of(11);
    bench.worker.handle(RunLog{other, 10, "stdout", "forged\n", {}}, bench.now);
    bench.worker.handle(RunProgress{other, 10, 0.5, "forged", "{\"at\":5}"}, bench.now);
    bench.tell(RunEnded{.runner = other, .lease = 10, .completed = true, .result = "forged"});
    const auto& run = bench.worker.book().runs().at(10);
    EXPECT_EQ(run.stage, RunStage::Running);
    EXPECT_THAT(run.unsent_logs, IsEmpty());
    EXPECT_FALSE(run.unsaved.has_value());
    EXPECT_EQ(bench.take<LogsStored>().front().bytes, 7U);
}

}  // namespace
}  // namespace holdfast::engine::testing
