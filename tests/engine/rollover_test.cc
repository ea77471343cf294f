#include <gmock/gmock.h>

#include "tests/engine/worker_harness.h"

namespace holdfast::engine::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr store::Lease lease_of(std::int64_t rank, store::Lease number) {
    return core::first_lease_of(rank) + number;
}

store::BeatAnswer beat_of(std::int64_t rank, std::int64_t beat = 1) {
    store::BeatAnswer answer;
    answer.rank = rank;
    answer.beat = beat;
    return answer;
}

store::TaskLease name_of(store::Lease lease) {
    return {started_task(lease).task.id, lease};
}

/// A worker on a store whose history has a rank. Its first claim is under way.
class Rollover : public ::testing::TestWithParam<ClaimsGo> {
protected:
    Rollover() : bench(2, {}, GetParam()) { bench.join(1); }

    [[nodiscard]] Lane claim_lane() const { return GetParam() == ClaimsGo::Beside ? Lane::Claim : Lane::Work; }
    void wait_for_beat() {
        for (int i = 0; i < 100 && bench.under_way<BeatCall>(Lane::Beat) == nullptr; ++i)
            bench.pass(milliseconds(100));
        ASSERT_NE(bench.under_way<BeatCall>(Lane::Beat), nullptr);
    }
    /// The next beat tells that the store has rolled over. The worker registers again, and beats again.
    void roll_over(std::int64_t to_rank, store::BeatAnswer answer = {}) {
        wait_for_beat();
        answer.rank = to_rank;
        bench.answer(Lane::Beat, answer);
        ASSERT_NE(bench.under_way<RegisterCall>(Lane::Beat), nullptr) << "it registers again";
        bench.answer(Lane::Beat, store::RegisterAnswer{.number = 1, .rank = to_rank});
        ASSERT_NE(bench.under_way<BeatCall>(Lane::Beat), nullptr) << "and beats with all that it holds";
    }
    void run_and_finish(store::Lease lease) {
        if (bench.claiming() == nullptr) {
            bench.worker.work_arrived();
            bench.decide();
        }
        bench.grant({started_task(lease)});
        bench.complete(lease);
        ASSERT_NE(bench.finishing(), nullptr);
        bench.answer_work();
        ASSERT_EQ(bench.worker.book().runs().size(), 0U);
    }
    [[nodiscard]] std::vector<std::string> said(const std::string& part) {
        std::vector<std::string> lines;
        for (const Say& each : bench.take<Say>())
            if (each.line.message.find(part) != std::string::npos) lines.push_back(each.line.message);
        return lines;
    }
    /// The outcomes of the turn under way.
    [[nodiscard]] std::map<store::Lease, core::LeaseEnd> delivering() {
        std::map<store::Lease, core::LeaseEnd> ends;
        if (bench.finishing() == nullptr) return ends;
        for (const store::FinishedRun& run : bench.finishing()->finish) ends[run.lease.lease] = run.end;
        return ends;
    }

    static constexpr store::Lease first = lease_of(1, 7);
    static constexpr store::Lease second = lease_of(1, 8);
    WorkerHarness bench;
};
INSTANTIATE_TEST_SUITE_P(Claims, Rollover, ::testing::Values(ClaimsGo::InTurns, ClaimsGo::Beside),
                         [](const auto& go) { return go.param == ClaimsGo::Beside ? "Beside" : "InTurns"; });

TEST_P(Rollover, BeatsCarryTheLastAcknowledgedOne) {
    wait_for_beat();
    EXPECT_EQ(bench.under_way<BeatCall>(Lane::Beat)->params.acknowledged.rank, 1);
    EXPECT_EQ(bench.under_way<BeatCall>(Lane::Beat)->params.acknowledged.number, 1);
    bench.answer(Lane::Beat, beat_of(1, 17));
    wait_for_beat();
    EXPECT_EQ(bench.under_way<BeatCall>(Lane::Beat)->params.acknowledged.number, 17);
    bench.fail(Lane::Beat);
    wait_for_beat();
    EXPECT_EQ(bench.under_way<BeatCall>(Lane::Beat)->params.acknowledged.number, 17) << "not one in doubt";
}

TEST_P(Rollover, ARegistrationMayHaveMadeTheRowAnewSoItsBeatsAreNotExpectedToContinue) {
    wait_for_beat();
    store::BeatAnswer unknown = beat_of(1);
    unknown.known = false;
    bench.answer(Lane::Beat, unknown);
    bench.answer(Lane::Beat, store::RegisterAnswer{.number = 2, .rank = 1});
    ASSERT_NE(bench.under_way<BeatCall>(Lane::Beat), nullptr);
    EXPECT_EQ(bench.under_way<BeatCall>(Lane::Beat)->params.acknowledged.rank, 1);
    EXPECT_EQ(bench.under_way<BeatCall>(Lane::Beat)->params.acknowledged.number, 0);
}

TEST_P(Rollover, ClaimsCarryTheHighestLeaseAlsoWhenTheyAreRepeated) {
    EXPECT_EQ(bench.claiming()->highest_lease.rank, 0) << "it has seen none";
    bench.grant({started_task(second)});
    bench.worker.work_arrived();
    bench.decide();
    bench.grant({started_task(first)});
    bench.complete(second);
    bench.worker.work_arrived();
    bench.decide();
    if (bench.claiming() == nullptr) bench.answer_work();
    ASSERT_NE(bench.claiming(), nullptr);
    EXPECT_EQ(bench.claiming()->highest_lease.rank, 1);
    EXPECT_EQ(bench.claiming()->highest_lease.number, second);
    bench.fail(claim_lane());
    bench.pass(seconds(1));
    ASSERT_NE(bench.claiming(), nullptr);
    EXPECT_EQ(bench.claiming()->highest_lease.number, second);
}

TEST_P(Rollover, IsSaidOnceAndTheWorkerRegistersAgainAndBeatsWithAllThatItHolds) {
    bench.grant({started_task(first), started_task(second)});
    (void)said("");
    store::BeatAnswer answer = beat_of(2);
    answer.lost = {name_of(first)};
    roll_over(2, answer);
    EXPECT_EQ(bench.under_way<BeatCall>(Lane::Beat)->params.held.size(), 2U);
    EXPECT_THAT(bench.take<AskToStop>(), SizeIs(1)) << "the store does not know that lease";
    bench.answer(Lane::Beat, beat_of(2, 5));
    wait_for_beat();
    bench.answer(Lane::Beat, beat_of(2, 6));
    EXPECT_EQ(bench.under_way<RegisterCall>(Lane::Beat), nullptr);
    EXPECT_THAT(said("gone back in time (rank 1 -> 2)"), SizeIs(1));
    EXPECT_FALSE(bench.worker.book().runs().at(second).stop) << "this one goes on";
}

TEST_P(Rollover, IsAlsoNoticedByARegistration) {
    run_and_finish(first);
    wait_for_beat();
    store::BeatAnswer unknown = beat_of(1);
    unknown.known = false;
    bench.answer(Lane::Beat, unknown);
    bench.answer(Lane::Beat, store::RegisterAnswer{.number = 2, .rank = 2});
    EXPECT_THAT(said("gone back in time (rank 1 -> 2)"), SizeIs(1));
    EXPECT_NE(bench.under_way<BeatCall>(Lane::Beat), nullptr);
    EXPECT_EQ(delivering().count(first), 1U);
}

TEST_P(Rollover, AnAnswerOfAnOlderHistoryCountsAsAFailure) {
    bench.grant({started_task(first)});
    roll_over(2);
    store::BeatAnswer outdated = beat_of(1, 99);
    outdated.lost = {name_of(first)};
    bench.answer(Lane::Beat, outdated);
    EXPECT_THAT(said("The store does not answer"), SizeIs(1));
    EXPECT_THAT(bench.take<AskToStop>(), IsEmpty());
    wait_for_beat();
    EXPECT_EQ(bench.under_way<BeatCall>(Lane::Beat)->params.acknowledged.rank, 2);
}

// ---- Outcomes ----------------------------------------------------------------------------------------------------

TEST_P(Rollover, OutcomesThatWereAcknowledgedAreDeliveredAgainAndCounted) {
    run_and_finish(first);
    run_and_finish(second);
    EXPECT_THAT(delivering(), IsEmpty());
    roll_over(2);
    EXPECT_THAT(delivering(), ::testing::ElementsAre(::testing::Pair(first, core::LeaseEnd::Completed),
                                                     ::testing::Pair(second, core::LeaseEnd::Completed)));
    EXPECT_EQ(bench.finishing()->finish.front().result, "1");
    store::TurnAnswer answer{.finished = {{store::Fenced::Applied}, {store::Fenced::LeaseLost}}};
    bench.answer(Lane::Work, answer);
    const auto lines = said("Delivered outcomes again");
    ASSERT_THAT(lines, SizeIs(1));
    EXPECT_THAT(lines.front(), HasSubstr("1 were lost and applied again, 0 were still there, 1 cannot be applied"));
    EXPECT_THAT(delivering(), IsEmpty());
}

TEST_P(Rollover, OutcomesAreDeliveredAgainUntilTheStoreAnswersAndInBoundedTurns) {
    for (store::Lease number = 1; number <= 450; ++number) run_and_finish(lease_of(1, number));
    roll_over(2);
    ASSERT_EQ(delivering().size(), 200U);
    bench.fail(Lane::Work);
    bench.pass(seconds(1));
    ASSERT_EQ(delivering().size(), 200U);
    EXPECT_EQ(delivering().begin()->first, lease_of(1, 1)) << "the same again";
    bench.answer_work(store::Fenced::Already);
    ASSERT_EQ(delivering().size(), 200U);
    bench.answer_work(store::Fenced::Already);
    ASSERT_EQ(delivering().size(), 50U);
    EXPECT_THAT(said("Delivered outcomes again"), IsEmpty());
    bench.answer_work();
    const auto lines = said("Delivered outcomes again");
    ASSERT_THAT(lines, SizeIs(1));
    EXPECT_THAT(lines.front(), HasSubstr("50 were lost and applied again, 400 were still there, 0 cannot"));
}

TEST_P(Rollover, OutcomesThatTheStoreKeptForAMinuteAreNotDeliveredAgain) {
    run_and_finish(first);
    for (int i = 0; i < 70; ++i) {
        bench.pass(seconds(1));
        if (bench.under_way<BeatCall>(Lane::Beat) != nullptr) bench.answer(Lane::Beat, beat_of(1));
        if (bench.under_way<SnapshotCall>(Lane::Work) != nullptr) bench.answer(Lane::Work, CallDone{});
    }
    roll_over(2);
    EXPECT_THAT(delivering(), IsEmpty());
}

TEST_P(Rollover, OutcomesFromBeforeALongOutageAreDeliveredAgain) {
    run_and_finish(first);
    for (int i = 0; i < 200; ++i) {
        bench.pass(seconds(1));
        if (bench.under_way<BeatCall>(Lane::Beat) != nullptr) bench.fail(Lane::Beat);
        if (bench.under_way<SnapshotCall>(Lane::Work) != nullptr) bench.fail(Lane::Work);
    }
    roll_over(2);
    EXPECT_EQ(delivering().count(first), 1U) << "the store may have lost what came shortly before the outage";
}

TEST_P(Rollover, ARefusedOutcomeIsNotDeliveredAgain) {
    bench.grant({started_task(first)});
    bench.complete(first);
    bench.answer_work(store::Fenced::LeaseLost);
    roll_over(2);
    EXPECT_THAT(delivering(), IsEmpty());
}

TEST_P(Rollover, AWorkerThatDrainsStaysUntilOutcomesAreDeliveredAgain) {
    run_and_finish(first);
    if (bench.claiming() != nullptr) bench.grant({});
    bench.worker.asked_to_drain("test", bench.now);
    wait_for_beat();
    bench.answer(Lane::Beat, beat_of(2));
    ASSERT_EQ(delivering().count(first), 1U);
    EXPECT_EQ(bench.under_way<DeregisterCall>(Lane::Work), nullptr);
}

// ---- Leases that the worker does not hold ------------------------------------------------------------------------

TEST_P(Rollover, ALeaseWhoseOutcomeIsKnownIsFinishedWithItEvenIfTheRankIsTheSame) {
    run_and_finish(first);
    if (bench.claiming() != nullptr) bench.grant({});
    wait_for_beat();
    store::BeatAnswer answer = beat_of(1);
    answer.unlisted = {name_of(first)};
    bench.answer(Lane::Beat, answer);
    EXPECT_EQ(bench.handing_back(), nullptr);
    EXPECT_THAT(delivering(), ::testing::ElementsAre(::testing::Pair(first, core::LeaseEnd::Completed)));
}

TEST_P(Rollover, ALeaseThatWasNeverBegunEndsAsNotStarted) {
    run_and_finish(second);
    if (bench.claiming() != nullptr) bench.grant({});
    store::BeatAnswer answer = beat_of(2);
    answer.unlisted = {name_of(first)};
    roll_over(2, answer);
    if (bench.handing_back() == nullptr) bench.answer_work(store::Fenced::Already);  // what it delivers again
    ASSERT_NE(bench.handing_back(), nullptr);
    bench.answer_work(store::Fenced::LeaseLost);  // the rollover has marked it as started
    EXPECT_EQ(delivering().at(first), core::LeaseEnd::NotStarted);
    bench.answer_work();
    EXPECT_THAT(delivering(), IsEmpty());
}

TEST_P(Rollover, ALeaseThatWasBegunAndWhoseOutcomeIsForgottenEndsAsStopped) {
    bench.grant({started_task(first)});
    bench.complete(first);
    bench.answer_work(store::Fenced::LeaseLost);  // an outcome that is not kept
    if (bench.claiming() != nullptr) bench.grant({});
    store::BeatAnswer answer = beat_of(2);
    answer.unlisted = {name_of(first)};
    roll_over(2, answer);
    EXPECT_EQ(bench.handing_back(), nullptr) << "a store that has lost its start would give it to another";
    EXPECT_EQ(delivering().at(first), core::LeaseEnd::Stopped) << "it may have run";
}

TEST_P(Rollover, AHandBackThatTheRolloverRefusesBecomesNotStarted) {
    bench.grant({started_task(first), held_task(second)});
    if (bench.starting() != nullptr) bench.answer_work(store::Fenced::Withdrawn);
    for (int i = 0; i < 10 && bench.handing_back() == nullptr; ++i) bench.pass(milliseconds(100));
    ASSERT_NE(bench.handing_back(), nullptr);
    roll_over(2);
    bench.worker.asked_to_drain("test", bench.now);
    bench.answer_work(store::Fenced::LeaseLost);
    EXPECT_EQ(delivering().count(second), 1U);
    EXPECT_EQ(delivering()[second], core::LeaseEnd::NotStarted);
}

// ---- Claims and starts that are answered late --------------------------------------------------------------------

TEST_P(Rollover, AClaimFromBeforeItIsRunOnlyWhenABeatHasConfirmedIt) {
    ASSERT_NE(bench.claiming(), nullptr);
    roll_over(2);
    bench.grant({started_task(first), started_task(second)});
    EXPECT_THAT(bench.take<BeginRun>(), IsEmpty());
    bench.answer(Lane::Beat, beat_of(2, 3));  // made before the claim's answer: lists neither
    EXPECT_THAT(bench.take<BeginRun>(), IsEmpty());
    const auto* beat = bench.under_way<BeatCall>(Lane::Beat);
    ASSERT_NE(beat, nullptr) << "it asks at once";
    EXPECT_EQ(beat->params.held.size(), 2U);
    store::BeatAnswer answer = beat_of(2, 4);
    answer.lost = {name_of(second)};
    bench.answer(Lane::Beat, answer);
    const auto begun = bench.take<BeginRun>();
    ASSERT_THAT(begun, SizeIs(1));
    EXPECT_EQ(begun.front().order.lease.lease, first);
    EXPECT_EQ(bench.worker.book().runs().size(), 1U);
}

TEST_P(Rollover, AStartFromBeforeItIsRunOnlyWhenABeatHasConfirmedIt) {
    bench.grant({held_task(first)});
    ASSERT_NE(bench.starting(), nullptr);
    wait_for_beat();
    bench.answer(Lane::Beat, beat_of(1));  // before
    wait_for_beat();
    bench.fail(Lane::Beat);
    while (bench.under_way<BeatCall>(Lane::Beat) == nullptr) bench.pass(milliseconds(100));
    store::BeatAnswer forgotten = beat_of(2);
    forgotten.known = false;
    bench.answer(Lane::Beat, forgotten);
    bench.answer_work();  // the start was answered, and then lost
    EXPECT_THAT(bench.take<BeginRun>(), IsEmpty());
    bench.answer(Lane::Beat, store::RegisterAnswer{.number = 2, .rank = 2});
    EXPECT_THAT(bench.take<BeginRun>(), IsEmpty());
    bench.answer(Lane::Beat, beat_of(2, 1));
    EXPECT_THAT(bench.take<BeginRun>(), SizeIs(1));
}

TEST_P(Rollover, ATaskThatIsGivenAgainWaitsForTheEndOfItsLostRun) {
    bench.grant({started_task(first)});
    const RunnerId runner = bench.runner_of(first);
    (void)bench.take<BeginRun>();
    bench.worker.work_arrived();
    bench.decide();
    store::ClaimedTask again = started_task(lease_of(2, 1));
    again.task.id = name_of(first).task;
    bench.grant({again});
    EXPECT_THAT(bench.take<BeginRun>(), IsEmpty()) << "two runs at once (P7)";
    store::BeatAnswer answer = beat_of(2);
    answer.lost = {name_of(first)};
    roll_over(2, answer);
    EXPECT_THAT(bench.take<KillRunner>(), SizeIs(1));
    EXPECT_THAT(bench.take<BeginRun>(), IsEmpty());
    bench.tell(RunnerGone{runner, "killed by SIGKILL"});
    const auto begun = bench.take<BeginRun>();
    ASSERT_THAT(begun, SizeIs(1));
    EXPECT_EQ(begun.front().order.lease.lease, lease_of(2, 1));
}

TEST_P(Rollover, ANewLeaseIsRunAtOnceAndMakesTheWorkerAskForTheRank) {
    wait_for_beat();
    bench.answer(Lane::Beat, beat_of(1));
    ASSERT_NE(bench.claiming(), nullptr);
    bench.grant({started_task(lease_of(2, 1))});
    EXPECT_THAT(bench.take<BeginRun>(), SizeIs(1));
    EXPECT_NE(bench.under_way<BeatCall>(Lane::Beat), nullptr);
}

}  // namespace
}  // namespace holdfast::engine::testing
