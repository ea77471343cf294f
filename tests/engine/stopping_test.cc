#include <gmock/gmock.h>

#include "tests/engine/worker_harness.h"

namespace holdfast::engine::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

const store::FinishedRun& finishing(const WorkerHarness& bench) {
    static const store::FinishedRun none;
    const auto* call = bench.finishing();
    EXPECT_NE(call, nullptr);
    return call == nullptr || call->finish.empty() ? none : call->finish.front();
}

store::BeatAnswer stop_answer(const store::StopRequest& request) {
    store::BeatAnswer answer;
    answer.stop = {request};
    return answer;
}

store::BeatAnswer lost_answer(const store::TaskLease& lease) {
    store::BeatAnswer answer;
    answer.lost = {lease};
    return answer;
}

store::BeatAnswer unlisted_answer(const store::TaskLease& lease) {
    store::BeatAnswer answer;
    answer.unlisted = {lease};
    return answer;
}

store::BeatAnswer order_answer(bool drain, bool cordoned) {
    store::BeatAnswer answer;
    answer.drain = drain;
    answer.cordoned = cordoned;
    return answer;
}

store::BeatAnswer unknown_answer() {
    store::BeatAnswer answer;
    answer.known = false;
    return answer;
}

void keep_beating(WorkerHarness& bench, Duration span, Duration step = milliseconds(500)) {
    for (Duration passed{}; passed < span; passed += step) {
        bench.pass(step);
        if (bench.under_way<BeatCall>(Lane::Beat) != nullptr) bench.answer(Lane::Beat, store::BeatAnswer{});
        if (bench.under_way<SnapshotCall>(Lane::Work) != nullptr) bench.answer(Lane::Work, CallDone{});
    }
}

struct Stopping : ::testing::Test {
    WorkerHarness bench{1};

    void run(const TaskPolicy& policy = {}, const std::string& key = "") {
        bench.join();
        store::ClaimedTask task = started_task(10);
        task.task.policy = policy;
        if (!key.empty()) task.task.concurrency = ConcurrencyKey{key, 1};
        bench.grant({task});
        if (bench.under_way<SnapshotCall>(Lane::Work) != nullptr) bench.answer(Lane::Work, CallDone{});
    }
    void hear(const store::BeatAnswer& answer) {
        while (bench.under_way<BeatCall>(Lane::Beat) == nullptr) bench.pass(milliseconds(100));
        bench.answer(Lane::Beat, answer);
    }
    [[nodiscard]] store::TaskLease lease() const { return bench.worker.book().runs().at(10).lease(); }
};

TEST_F(Stopping, ARunOutOfTimeIsAskedThenKilledAndFailsWithItsTimeout) {
    run({.retry = {}, .timeout = seconds(7)});
    keep_beating(bench, seconds(6));
    EXPECT_THAT(bench.take<AskToStop>(), IsEmpty());
    keep_beating(bench, seconds(1));
    EXPECT_EQ(bench.take<AskToStop>().front().cause, StopCause::Timeout);
    keep_beating(bench, milliseconds(4500));
    EXPECT_THAT(bench.take<KillRunner>(), IsEmpty());
    keep_beating(bench, milliseconds(500));
    EXPECT_THAT(bench.take<KillRunner>(), IsEmpty()) << "its runner is killing it";
    keep_beating(bench, milliseconds(500));
    EXPECT_THAT(bench.take<KillRunner>(), SizeIs(1));
    EXPECT_EQ(bench.finishing(), nullptr) << "before its processes are gone";
    bench.tell(RunnerGone{bench.runner_of(10), "killed by SIGKILL"});
    EXPECT_EQ(finishing(bench).end, core::LeaseEnd::Failed);
    EXPECT_EQ(finishing(bench).error.code, error_code::task_timeout);
    EXPECT_THAT(finishing(bench).error.message, HasSubstr("7s"));
}

TEST_F(Stopping, TimeInWhichTheWorkerStoodStillIsNotHeldAgainstItsRuns) {
    run({.retry = {}, .timeout = seconds(60)});
    keep_beating(bench, seconds(10));
    bench.stand_still(std::chrono::minutes(20));
    EXPECT_THAT(bench.take<AskToStop>(), IsEmpty()) << "it has run for 10 seconds";
    EXPECT_THAT(bench.take<KillRunner>(), IsEmpty()) << "its runner stood still too";
    keep_beating(bench, seconds(45));  // it would have rested for some seconds anyway
    EXPECT_THAT(bench.take<AskToStop>(), IsEmpty());
    keep_beating(bench, seconds(5));
    EXPECT_THAT(bench.take<AskToStop>(), SizeIs(1));
}

TEST_F(Stopping, ARunnerIsSilentByTheTimeThatTheWorkerListened) {
    run({.retry = {}, .timeout = std::chrono::hours(1)});
    const Duration patience = bench.settings.runner_silence;
    bench.stand_still(2 * patience);
    bench.tell(RunnerBeat{bench.runner_of(10)});
    bench.pass(patience - seconds(1));
    EXPECT_THAT(bench.take<KillRunner>(), IsEmpty());
    bench.pass(seconds(2));
    EXPECT_THAT(bench.take<KillRunner>(), SizeIs(1));
}

TEST_F(Stopping, AValueThatComesAfterTheTimeoutIsTooLate) {
    run({.retry = {}, .timeout = seconds(7)});
    keep_beating(bench, seconds(7));
    bench.complete(10);
    EXPECT_EQ(finishing(bench).error.code, error_code::task_timeout);
}

TEST_F(Stopping, ACancelledRunIsCancelledWhenItsProcessesAreGone) {
    run();
    hear(stop_answer({lease(), store::StopReason::Cancel}));
    EXPECT_EQ(bench.take<AskToStop>().front().cause, StopCause::Cancel);
    EXPECT_EQ(bench.finishing(), nullptr);
    bench.tell(RunEnded{.runner = bench.runner_of(10), .lease = 10, .saw_stop = true});
    EXPECT_EQ(finishing(bench).end, core::LeaseEnd::Cancelled);
}

TEST_F(Stopping, ARunThatReturnsAValueAfterItSawTheCancelIsCancelled) {
    run();
    hear(stop_answer({lease(), store::StopReason::Cancel}));
    bench.tell(
        RunEnded{.runner = bench.runner_of(10), .lease = 10, .completed = true, .saw_stop = true, .result = "[1,2]"});
    EXPECT_EQ(finishing(bench).end, core::LeaseEnd::Cancelled);
    EXPECT_EQ(finishing(bench).error.data, R"({"returned":[1,2]})");
}

TEST_F(Stopping, AValueThatComesAfterTheTimeoutIsTooLateEvenIfACancelFollowsTheTimeout) {
    TaskPolicy policy;
    policy.timeout = seconds(7);
    run(policy);
    keep_beating(bench, seconds(8));
    EXPECT_EQ(bench.take<AskToStop>().front().cause, StopCause::Timeout);
    hear(stop_answer({lease(), store::StopReason::Cancel}));
    bench.tell(RunEnded{.runner = bench.runner_of(10), .lease = 10, .completed = true, .result = "17"});
    EXPECT_EQ(finishing(bench).end, core::LeaseEnd::Cancelled);
    EXPECT_EQ(finishing(bench).error.data, R"({"returned":17})");
}

TEST_F(Stopping, ARunThatStopsCleanlyForADrainIsReportedSo) {
    run();
    bench.worker.asked_to_drain("test", bench.now);
    keep_beating(bench, seconds(31));
    bench.tell(RunEnded{.runner = bench.runner_of(10), .lease = 10, .saw_stop = true, .threw_stop = true});
    EXPECT_EQ(finishing(bench).end, core::LeaseEnd::StoppedCleanly);
}

TEST_F(Stopping, ARunThatReturnsAValueWithoutHavingSeenTheCancelHasCompleted) {
    run();
    hear(stop_answer({lease(), store::StopReason::Cancel}));
    bench.complete(10);
    EXPECT_EQ(finishing(bench).end, core::LeaseEnd::Completed);
}

TEST_F(Stopping, ALostLeaseIsKilledAtOnceAndReportedToNobody) {
    run();
    hear(lost_answer(lease()));
    EXPECT_EQ(bench.take<AskToStop>().front().cause, StopCause::LeaseLost);
    bench.decide();
    EXPECT_THAT(bench.take<KillRunner>(), SizeIs(1));
    bench.tell(RunnerGone{bench.runner_of(10), "killed by SIGKILL"});
    EXPECT_TRUE(bench.worker.book().runs().empty());
    EXPECT_EQ(bench.finishing(), nullptr);
}

TEST_F(Stopping, AResultThatCameBeforeTheNewsThatItsLeaseIsLostIsOfferedAllTheSame) {
    run();
    bench.complete(10);
    bench.fail(Lane::Work);
    hear(lost_answer(lease()));
    bench.pass(seconds(1));
    EXPECT_EQ(finishing(bench).end, core::LeaseEnd::Completed) << "its refusal is on record";
}

TEST_F(Stopping, AResultThatWasOnItsWayWhenTheLeaseWasLostIsOfferedAllTheSame) {
    run();
    hear(lost_answer(lease()));
    bench.complete(10);
    EXPECT_EQ(finishing(bench).end, core::LeaseEnd::Completed);
    bench.answer(Lane::Work, store::TurnAnswer{.finished = {{.fenced = store::Fenced::LeaseLost}}});
    EXPECT_TRUE(bench.worker.book().runs().empty());
}

TEST_F(Stopping, ATaskThatAnotherCouldBeGivenIsFencedWithinTheDeclaredTime) {
    run({.retry = {}, .on_crash = OnCrash::Requeue});
    const Duration fence = bench.settings.registration.fence_after;
    Duration asked{};
    Duration killed{};
    for (Duration passed{}; passed < fence; passed += milliseconds(100)) {
        bench.pass(milliseconds(100));
        if (bench.under_way<BeatCall>(Lane::Beat) != nullptr) bench.fail(Lane::Beat);
        if (!bench.take<AskToStop>().empty()) asked = passed;
        if (!bench.take<KillRunner>().empty()) killed = passed;
    }
    EXPECT_GT(asked, fence / 2);
    EXPECT_GT(killed, asked);
    EXPECT_LT(killed, fence);
    bench.tell(RunnerGone{bench.runner_of(10), "killed by SIGKILL"});
    EXPECT_EQ(finishing(bench).end, core::LeaseEnd::Stopped);
    EXPECT_EQ(finishing(bench).error.code, error_code::fenced);
}

TEST_F(Stopping, ATaskThatHoldsAKeyIsFencedToo) {
    run({}, "key");
    for (int second = 0; second < 14; ++second) {
        bench.pass(seconds(1));
        if (bench.under_way<BeatCall>(Lane::Beat) != nullptr) bench.fail(Lane::Beat);
    }
    EXPECT_EQ(bench.take<AskToStop>().front().cause, StopCause::Fence);
}

TEST_F(Stopping, ATaskThatNobodyElseWillBeGivenGoesOnThroughAnOutage) {
    run();
    for (int second = 0; second < 200; ++second) {
        bench.pass(seconds(1));
        if (bench.under_way<BeatCall>(Lane::Beat) != nullptr) bench.fail(Lane::Beat);
    }
    EXPECT_THAT(bench.take<AskToStop>(), IsEmpty());
    EXPECT_THAT(bench.take<KillRunner>(), IsEmpty());
}

TEST_F(Stopping, TheFenceCountsFromWhenTheAcknowledgedBeatWasSentNotFromItsAnswer) {
    run({.retry = {}, .on_crash = OnCrash::Requeue});
    while (bench.under_way<BeatCall>(Lane::Beat) == nullptr) bench.pass(milliseconds(100));
    const Duration sent = bench.now;
    bench.pass(seconds(2));
    bench.answer(Lane::Beat, store::BeatAnswer{});
    EXPECT_EQ(bench.take<SetFence>().back().deadline, sent + bench.settings.registration.fence_after * 8 / 10);
}

TEST_F(Stopping, ADrainHandsBackWhatIsClaimedLetsRunsEndAndLeaves) {
    bench.join();
    bench.grant({started_task(10), held_task(11)});
    bench.worker.asked_to_drain("SIGTERM was received", bench.now);
    bench.decide();
    ASSERT_NE(bench.handing_back(), nullptr);
    bench.answer_work();
    ASSERT_NE(bench.under_way<BeatCall>(Lane::Beat), nullptr);
    EXPECT_EQ(bench.under_way<BeatCall>(Lane::Beat)->params.status, store::WorkerStatus::Draining);
    bench.answer(Lane::Beat, store::BeatAnswer{});
    keep_beating(bench, seconds(29));
    EXPECT_THAT(bench.take<AskToStop>(), IsEmpty());
    EXPECT_EQ(bench.claiming(), nullptr);
    bench.complete(10);
    EXPECT_EQ(finishing(bench).end, core::LeaseEnd::Completed);
    bench.answer_work();
    ASSERT_NE(bench.under_way<DeregisterCall>(Lane::Work), nullptr);
    bench.answer(Lane::Work, CallDone{});
    EXPECT_EQ(bench.take<Leave>().front().exit_code, 0);
    bench.pass(seconds(60));
    EXPECT_EQ(bench.under_way<BeatCall>(Lane::Beat), nullptr) << "a beat would make it active again";
}

TEST_F(Stopping, ItDeregistersOnlyAfterTheBeatUnderWayWasAnswered) {
    bench.join();
    bench.grant({});
    bench.worker.asked_to_drain("test", bench.now);
    bench.decide();
    ASSERT_NE(bench.under_way<BeatCall>(Lane::Beat), nullptr);
    EXPECT_EQ(bench.under_way<DeregisterCall>(Lane::Work), nullptr);
    bench.answer(Lane::Beat, store::BeatAnswer{});
    EXPECT_NE(bench.under_way<DeregisterCall>(Lane::Work), nullptr);
}

TEST_F(Stopping, AFailedDeregistrationIsRetriedAfterItsBackoff) {
    bench.join();
    bench.grant({});
    bench.worker.asked_to_drain("test", bench.now);
    bench.decide();
    bench.answer(Lane::Beat, store::BeatAnswer{});
    ASSERT_NE(bench.under_way<DeregisterCall>(Lane::Work), nullptr);
    bench.fail(Lane::Work);
    EXPECT_LE(bench.worker.wake_at(), bench.now + seconds(1)) << "no other due time wakes a worker that leaves";
    bench.pass(seconds(1));
    EXPECT_NE(bench.under_way<DeregisterCall>(Lane::Work), nullptr);
}

TEST_F(Stopping, ARunThatOutlastsTheGraceIsStoppedForTheDrain) {
    run();
    bench.worker.asked_to_drain("test", bench.now);
    keep_beating(bench, seconds(31));
    EXPECT_EQ(bench.take<AskToStop>().front().cause, StopCause::Drain);
    keep_beating(bench, seconds(6));
    EXPECT_THAT(bench.take<KillRunner>(), SizeIs(1));
    bench.tell(RunnerGone{bench.runner_of(10), "killed by SIGKILL"});
    EXPECT_EQ(finishing(bench).end, core::LeaseEnd::Stopped);
    EXPECT_EQ(finishing(bench).error.code, error_code::worker_drained);
}

TEST_F(Stopping, ASecondRequestKillsAtOnce) {
    run();
    bench.worker.asked_to_drain("SIGTERM was received", bench.now);
    bench.decide();
    bench.pass(seconds(1));
    bench.worker.asked_to_drain("SIGINT was received", bench.now);
    bench.decide();
    EXPECT_THAT(bench.take<KillRunner>(), SizeIs(1));
    bench.tell(RunnerGone{bench.runner_of(10), "killed by SIGKILL"});
    EXPECT_THAT(finishing(bench).error.message, HasSubstr("a second time to shut down (SIGINT was received)"));
    EXPECT_THAT(finishing(bench).error.message, Not(HasSubstr("30s"))) << "one second had passed";
}

TEST_F(Stopping, ARunThatHadOutlastedTheGraceIsNotSaidToHaveBeenHurried) {
    run();
    bench.worker.asked_to_drain("SIGTERM was received", bench.now);
    keep_beating(bench, seconds(31));
    bench.worker.asked_to_drain("SIGINT was received", bench.now);
    bench.decide();
    EXPECT_THAT(bench.take<KillRunner>(), SizeIs(1));
    bench.tell(RunnerGone{bench.runner_of(10), "killed by SIGKILL"});
    EXPECT_THAT(finishing(bench).error.message, HasSubstr("did not end within 30s"));
}

TEST_F(Stopping, ADrainDuringAnOutageEndsWithAnErrorInsteadOfNever) {
    run();
    bench.complete(10);
    bench.worker.asked_to_drain("test", bench.now);
    std::vector<Leave> left;
    for (int second = 0; second < 120 && left.empty(); ++second) {
        if (bench.under_way<BeatCall>(Lane::Beat) != nullptr) bench.fail(Lane::Beat);
        if (bench.finishing() != nullptr) bench.fail(Lane::Work);
        bench.pass(seconds(1));
        left = bench.take<Leave>();
    }
    ASSERT_THAT(left, SizeIs(1));
    EXPECT_EQ(left.front().exit_code, 1);
}

TEST_F(Stopping, ADrainFromAfarIsObeyed) {
    bench.join();
    bench.grant({});
    hear(order_answer(true, false));
    EXPECT_TRUE(bench.worker.is_draining());
}

TEST_F(Stopping, ASignalAfterADrainFromAfarIsTheFirstRequestAndHurriesNothing) {
    run();
    hear(order_answer(true, false));
    bench.worker.asked_to_drain("SIGTERM was received", bench.now);
    bench.decide();
    EXPECT_THAT(bench.take<AskToStop>(), IsEmpty());
    EXPECT_THAT(bench.take<KillRunner>(), IsEmpty());
    bench.worker.asked_to_drain("SIGTERM was received", bench.now);
    bench.decide();
    EXPECT_THAT(bench.take<KillRunner>(), SizeIs(1));
}

/// Others would be given the task while the thread goes on with it.
TEST(Drain, OfAWorkerWithThreadsKeepsItsLeasesUntilTheyHaveEnded) {
    WorkerSettings with_threads;
    with_threads.runners_can_die = false;
    WorkerHarness bench(1, with_threads);
    bench.join();
    bench.grant({started_task(10)});
    for (int times = 0; times < 3; ++times) bench.worker.asked_to_drain("test", bench.now);
    bench.decide();
    EXPECT_THAT(bench.take<AskToStop>(), SizeIs(1));
    if (bench.under_way<SnapshotCall>(Lane::Work) != nullptr) bench.answer(Lane::Work, CallDone{});
    int beats = 0;
    for (int second = 0; second < 600; ++second) {
        bench.pass(seconds(1));
        if (bench.under_way<SnapshotCall>(Lane::Work) != nullptr) bench.answer(Lane::Work, CallDone{});
        const auto* beat = bench.under_way<BeatCall>(Lane::Beat);
        if (beat == nullptr) continue;
        beats += static_cast<int>(beat->params.held.size());
        bench.answer(Lane::Beat, store::BeatAnswer{});
    }
    EXPECT_GT(beats, 100);
    EXPECT_THAT(bench.take<Leave>(), IsEmpty());
    bench.tell(RunEnded{.runner = bench.runner_of(10), .lease = 10, .saw_stop = true, .threw_stop = true});
    EXPECT_EQ(finishing(bench).end, core::LeaseEnd::StoppedCleanly);
}

TEST_F(Stopping, ACordonedWorkerClaimsNothingUntilItIsUncordoned) {
    bench.join();
    bench.grant({});
    hear(order_answer(false, true));
    bench.worker.work_arrived();
    bench.decide();
    EXPECT_EQ(bench.claiming(), nullptr);
    hear({});
    EXPECT_NE(bench.claiming(), nullptr);
}

TEST_F(Stopping, AWorkerThatTheStoreHasForgottenRegistersAgainUnderItsId) {
    run();
    hear(unknown_answer());
    const auto* call = bench.under_way<RegisterCall>(Lane::Beat);
    ASSERT_NE(call, nullptr);
    EXPECT_EQ(call->registration.id, bench.settings.registration.id);
    EXPECT_EQ(bench.worker.book().count(RunStage::Running), 1U) << "its leases remain its own";
    (void)bench.take<SetFence>();
    bench.answer(Lane::Beat, store::RegisterAnswer{1});
    EXPECT_THAT(bench.take<SetFence>(), SizeIs(1)) << "that of before may have passed when the next run begins";
}

TEST_F(Stopping, ALeaseThatTheWorkerDoesNotKnowIsHandedBackOrSettled) {
    bench.join();
    bench.grant({});
    const store::TaskLease unknown = {started_task(77).task.id, 77};
    hear(unlisted_answer(unknown));
    ASSERT_NE(bench.handing_back(), nullptr);
    bench.answer_work(store::Fenced::LeaseLost);
    EXPECT_EQ(finishing(bench).lease, unknown);
    EXPECT_EQ(finishing(bench).end, core::LeaseEnd::NotStarted) << "this worker has never begun it";
}

TEST_F(Stopping, ALeaseOfAClaimThatWasNotAnsweredYetIsNotTakenForUnknown) {
    bench.join();
    while (bench.under_way<BeatCall>(Lane::Beat) == nullptr) bench.pass(milliseconds(100));
    bench.answer(Lane::Beat, unlisted_answer({started_task(77).task.id, 77}));
    bench.grant({started_task(77)});
    EXPECT_EQ(bench.handing_back(), nullptr);
    EXPECT_THAT(bench.take<BeginRun>(), SizeIs(1));
}

TEST(Beats, ListEveryLeaseWithItsRoleAndTheAgeOfItsRunnersSign) {
    WorkerHarness bench(1);
    bench.join();
    bench.grant({started_task(10), held_task(11)});
    bench.pass(milliseconds(200));
    bench.tell(RunnerBeat{bench.runner_of(10)});
    while (bench.under_way<BeatCall>(Lane::Beat) == nullptr) {
        bench.pass(milliseconds(100));
        if (bench.handing_back() != nullptr) break;
    }
    bench.pass(seconds(3));
    const auto* beat = bench.under_way<BeatCall>(Lane::Beat);
    ASSERT_NE(beat, nullptr);
    ASSERT_THAT(beat->params.held, SizeIs(2));
    EXPECT_TRUE(beat->params.held[0].running);
    EXPECT_EQ(beat->params.held[0].runner_pid, 101);
    EXPECT_GE(beat->params.held[0].runner_beat_age, seconds(3));
    EXPECT_FALSE(beat->params.held[1].running);
}

TEST_F(Stopping, AnOrderIsHeardOfAtOnceAndNotAtTheNextBeat) {
    run();
    bench.worker.orders_arrived(bench.now);
    bench.pass(milliseconds(50));  // since the last beat
    ASSERT_NE(bench.under_way<BeatCall>(Lane::Beat), nullptr);
    bench.answer(Lane::Beat, stop_answer({lease(), store::StopReason::Cancel}));
    EXPECT_EQ(bench.take<AskToStop>().front().cause, StopCause::Cancel);
}

TEST_F(Stopping, AnOrderThatComesWhileABeatIsUnderWayIsHeardOfByTheNext) {
    run();
    while (bench.under_way<BeatCall>(Lane::Beat) == nullptr) bench.pass(milliseconds(100));
    bench.worker.orders_arrived(bench.now);
    bench.pass(milliseconds(10));
    bench.answer(Lane::Beat, store::BeatAnswer{});  // decided before the order was written
    bench.pass(milliseconds(50));
    EXPECT_NE(bench.under_way<BeatCall>(Lane::Beat), nullptr);
}

TEST(Beats, DoNotBecomeAStormHoweverOftenTheStoreRings) {
    WorkerHarness bench(1);
    bench.join();
    bench.grant({started_task(10)});
    int beats = 0;
    for (int ring = 0; ring < 1000; ++ring) {
        bench.worker.orders_arrived(bench.now);
        bench.pass(milliseconds(1));
        if (bench.under_way<BeatCall>(Lane::Beat) == nullptr) continue;
        ++beats;
        bench.answer(Lane::Beat, store::BeatAnswer{});
    }
    EXPECT_LE(beats, 21);
    EXPECT_GE(beats, 19);
}

TEST(Beats, AreKeptAsHistoryOnlyEveryHalfMinute) {
    WorkerHarness bench(1);
    bench.join();
    bench.grant({started_task(10)});
    int beats = 0;
    int kept = 0;
    for (int tick = 0; tick < 610; ++tick) {
        bench.pass(milliseconds(100));
        const auto* beat = bench.under_way<BeatCall>(Lane::Beat);
        if (beat == nullptr) continue;
        ++beats;
        if (beat->params.keep_history) ++kept;
        bench.answer(Lane::Beat, store::BeatAnswer{});
    }
    EXPECT_EQ(beats, 20);
    EXPECT_EQ(kept, 2);
}

}  // namespace
}  // namespace holdfast::engine::testing
