#include "tests/engine/worker_harness.h"

namespace holdfast::engine::testing {
namespace {

store::ClaimedTask rerun_on_crash(store::Lease lease) {
    store::ClaimedTask task = started_task(lease);
    task.task.policy.on_crash = OnCrash::Requeue;
    return task;
}

/// A claim is under way while beats fail, long enough for others to be given what it was granted; then a beat comes
/// through again, before the claim's answer does.
WorkerHarness after_a_silence_during_a_claim() {
    WorkerHarness bench(1);
    bench.join();
    bench.pass(seconds(3));
    bench.fail(Lane::Beat);
    bench.pass(seconds(16));
    bench.answer(Lane::Beat, store::BeatAnswer{});
    EXPECT_NE(bench.under_way<BeatCall>(Lane::Beat), nullptr) << "the store is back: it is told at once";
    bench.answer(Lane::Beat, store::BeatAnswer{});
    return bench;
}

TEST(LateClaim, LeaseThatOthersMayHaveByNowIsNotRunBeforeABeatHasListedIt) {
    WorkerHarness bench = after_a_silence_during_a_claim();
    bench.grant({rerun_on_crash(7)});
    EXPECT_TRUE(bench.take<BeginRun>().empty()) << "its task may be running elsewhere (P7)";

    bench.pass(seconds(3));
    const auto* beat = bench.under_way<BeatCall>(Lane::Beat);
    ASSERT_NE(beat, nullptr);
    ASSERT_EQ(beat->params.held.size(), 1U);
    bench.answer(Lane::Beat, store::BeatAnswer{});
    EXPECT_EQ(bench.take<BeginRun>().size(), 1U) << "the store has confirmed it";
}

TEST(LateClaim, LeaseThatWasLostMeanwhileIsNeverRun) {
    WorkerHarness bench = after_a_silence_during_a_claim();
    bench.grant({rerun_on_crash(7)});
    bench.pass(seconds(3));
    bench.answer(Lane::Beat, store::BeatAnswer{.lost = {{rerun_on_crash(7).task.id, 7}}, .stop = {}, .unlisted = {}});
    bench.pass(seconds(3));
    EXPECT_TRUE(bench.take<BeginRun>().empty());
    EXPECT_TRUE(bench.worker.book().runs().empty());
}

TEST(LateClaim, TaskThatNobodyElseCanBeGivenIsRunAtOnce) {
    WorkerHarness bench = after_a_silence_during_a_claim();
    bench.grant({started_task(7)});
    EXPECT_EQ(bench.take<BeginRun>().size(), 1U);
}

}  // namespace
}  // namespace holdfast::engine::testing
