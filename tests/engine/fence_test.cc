#include <gmock/gmock.h>

#include "tests/engine/worker_harness.h"

namespace holdfast::engine::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

store::ClaimedTask fenced_task(store::Lease lease) {
    store::ClaimedTask task = started_task(lease);
    task.task.policy.on_crash = OnCrash::Requeue;
    return task;
}

void fail_beats(WorkerHarness& bench, Duration span) {
    for (Duration passed{}; passed < span; passed += milliseconds(500)) {
        bench.pass(milliseconds(500));
        if (bench.under_way<BeatCall>(Lane::Beat) != nullptr) bench.fail(Lane::Beat);
    }
}

void acknowledge_beat(WorkerHarness& bench) {
    while (bench.under_way<BeatCall>(Lane::Beat) == nullptr) bench.pass(milliseconds(100));
    bench.answer(Lane::Beat, store::BeatAnswer{});
}

TEST(Fence, ARunThatWaitedForItsRunnerThroughAnOutageBeginsOnlyAfterABeat) {
    WorkerSettings settings;
    settings.runner_boot = std::chrono::minutes(1);
    WorkerHarness bench(1, settings);
    bench.join();
    bench.tell(RunnerGone{1, "exit code 1"});
    bench.grant({fenced_task(10)});
    const auto spawned = bench.take<SpawnRunner>();
    ASSERT_THAT(spawned, SizeIs(1));
    fail_beats(bench, bench.settings.registration.fence_after);
    bench.tell(RunnerReady{spawned.front().runner, 4711});
    EXPECT_THAT(bench.take<BeginRun>(), IsEmpty()) << "by now another worker may have been given it";
    acknowledge_beat(bench);
    EXPECT_THAT(bench.take<BeginRun>(), SizeIs(1));
    EXPECT_THAT(bench.take<AskToStop>(), IsEmpty());
}

TEST(Fence, ARunIsNotBegunOnABeatThatWasAcknowledgedTooLate) {
    WorkerHarness bench(1);
    bench.join();
    while (bench.under_way<BeatCall>(Lane::Beat) == nullptr) bench.pass(milliseconds(100));
    bench.pass(bench.settings.registration.fence_after);
    bench.grant({fenced_task(10)});
    bench.answer(Lane::Beat, store::BeatAnswer{});
    EXPECT_THAT(bench.take<BeginRun>(), IsEmpty());
    acknowledge_beat(bench);
    EXPECT_THAT(bench.take<BeginRun>(), SizeIs(1));
    EXPECT_THAT(bench.take<AskToStop>(), IsEmpty()) << "a healthy run is not stopped for an old outage";
}

TEST(Fence, HoldsUpNoRunThatNobodyElseWillBeGiven) {
    WorkerHarness bench(1);
    bench.join();
    while (bench.under_way<BeatCall>(Lane::Beat) == nullptr) bench.pass(milliseconds(100));
    bench.pass(bench.settings.registration.fence_after);
    bench.grant({started_task(10)});
    EXPECT_THAT(bench.take<BeginRun>(), SizeIs(1));
}

}  // namespace
}  // namespace holdfast::engine::testing
