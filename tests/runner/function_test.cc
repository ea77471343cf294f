#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "platform/process_table.h"
#include "tests/runner/pool_bench.h"

namespace holdfast::runner {
namespace {

using engine::RunEnded;
using engine::RunnerBeat;
using engine::RunnerGone;
using engine::RunProgress;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(FunctionRun, CompletesWithWhatTheFunctionReturned) {
    PoolBench bench;
    const auto runner = bench.spawn();
    const RunEnded ended = bench.run(runner, "echo", R"({"a":[1,2,"ü"]})");
    EXPECT_TRUE(ended.completed);
    EXPECT_FALSE(ended.saw_stop);
    EXPECT_FALSE(ended.leaves);
    EXPECT_EQ(ended.result, R"({"a":[1,2,"ü"]})");
    EXPECT_EQ(ended.lease, 1);
}

TEST(FunctionRun, FailsWithTheErrorThatTheFunctionReturned) {
    PoolBench bench;
    const RunEnded ended = bench.run(bench.spawn(), "refuse");
    EXPECT_FALSE(ended.completed);
    EXPECT_EQ(ended.error, (TaskError{"NOT_TODAY", "come back tomorrow", R"({"days":1})"}));
}

TEST(FunctionRun, FailsWithTaskExceptionWhenTheFunctionThrows) {
    PoolBench bench;
    const RunEnded ended = bench.run(bench.spawn(), "throw");
    EXPECT_FALSE(ended.completed);
    EXPECT_EQ(ended.error.code, error_code::task_exception);
    EXPECT_THAT(ended.error.message, HasSubstr("burst"));
}

TEST(FunctionRun, FailsWithThePathOfTheArgumentThatDoesNotFit) {
    PoolBench bench;
    const auto runner = bench.spawn();
    EXPECT_EQ(bench.run(runner, "typed", R"({"a":1,"b":2})").result, "2");
    const RunEnded ended = bench.run(runner, "typed", R"({"a":1,"b":"two"})");
    EXPECT_FALSE(ended.completed);
    EXPECT_EQ(ended.error,
              (TaskError{"ARGS_NOT_READABLE", "args.b: expected a number, got a string", R"({"path":"args.b"})"}));
    EXPECT_EQ(bench.run(runner, "echo", "{").error.code, error_code::args_not_readable) << "no JSON at all";
}

TEST(FunctionRun, SeesItsTaskItsLeaseItsTraceAndItsCheckpoint) {
    PoolBench bench;
    const auto runner = bench.spawn();
    engine::RunOrder order;
    order.name = "context";
    order.args = "null";
    order.attempt = 3;
    order.checkpoint = R"({"page":7})";
    order.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    bench.begin(runner, order);
    const auto seen = nlohmann::json::parse(bench.expect<RunEnded>(runner).result);
    EXPECT_EQ(seen["attempt"], 3);
    EXPECT_EQ(seen["lease"], 1);
    EXPECT_EQ(seen["traceparent"], order.traceparent);
    EXPECT_EQ(seen["checkpoint"]["page"], 7);
}

TEST(FunctionRun, TellsItsLastProgressAndCheckpointBeforeItsEnd) {
    PoolBench bench;
    const auto runner = bench.spawn();
    bench.run(runner, "checkpoint", R"({"page":8})");
    const auto news = bench.told<RunProgress>(runner);
    ASSERT_FALSE(news.empty());
    EXPECT_EQ(news.back().fraction, 0.25);
    EXPECT_EQ(news.back().text, "saved");
    std::optional<std::string> checkpoint;  // told together with the rest, or before it
    for (const RunProgress& each : news)
        if (each.checkpoint) checkpoint = each.checkpoint;
    EXPECT_EQ(checkpoint, R"({"page":8})");
}

/// The function tells of progress, is asked to stop, and ends.
RunEnded run_and_stop(PoolBench& bench, const std::string& name, const std::string& args = "null") {
    const auto runner = bench.spawn();
    bench.begin(runner, name, args);
    bench.expect<RunProgress>(runner);
    bench.pool().ask_to_stop(runner, engine::StopCause::Cancel, seconds(30));
    return bench.expect<RunEnded>(runner);
}

TEST(FunctionRun, ReturnsAsItLikesWhenItIsAskedToStopAndTellsThatItHadSeenThat) {
    PoolBench bench;
    const auto ended = run_and_stop(bench, "wait");
    EXPECT_TRUE(ended.completed);
    EXPECT_EQ(ended.result, R"("tidied up")");
    EXPECT_TRUE(ended.saw_stop);
    EXPECT_FALSE(ended.threw_stop);
}

TEST(FunctionRun, ThatThrowsStoppedIsToldApartAndItsCheckpointComesFirst) {
    PoolBench bench;
    const auto ended = run_and_stop(bench, "stop cleanly", "[3]");
    EXPECT_FALSE(ended.completed);
    EXPECT_TRUE(ended.threw_stop);
    const auto news = bench.told<RunProgress>(ended.runner);
    ASSERT_FALSE(news.empty());
    EXPECT_EQ(news.back().checkpoint, "[3]");
}

TEST(FunctionRun, ThatThrowsStoppedUnaskedFailsAndIsToldWhatItDidWrong) {
    PoolBench bench;
    const auto ended = bench.run(bench.spawn(), "throw Stopped");
    EXPECT_FALSE(ended.completed);
    EXPECT_FALSE(ended.saw_stop);
    EXPECT_EQ(ended.error.code, error_code::task_exception);
    EXPECT_THAT(ended.error.message, HasSubstr("was not asked to stop"));
}

TEST(FunctionRun, ThatCompletesAnywayHasNotBeenStopped) {
    PoolBench bench;
    const auto ended = run_and_stop(bench, "complete anyway");
    EXPECT_TRUE(ended.completed);
    EXPECT_FALSE(ended.saw_stop);
    EXPECT_EQ(ended.result, R"("all of it")");
}

TEST(FunctionRun, ThatMeantToCompleteAnywayAndFailsHasBeenStopped) {
    PoolBench bench;
    const auto ended = run_and_stop(bench, "complete anyway, then throw");
    EXPECT_FALSE(ended.completed);
    EXPECT_TRUE(ended.saw_stop);
}

TEST(FunctionRun, WhoseProcessesWereToldToStopHasSeenIt) {
    PoolBench bench;
    const auto ended = run_and_stop(bench, "wait for a process");
    EXPECT_FALSE(ended.completed);
    EXPECT_TRUE(ended.saw_stop) << "its failure is the work of the stop";
}

TEST(FunctionRun, ThatNeverLooksHasNotSeenTheStop) {
    PoolBench bench;
    const std::string file = ::testing::TempDir() + "holdfast-function-" + std::to_string(getpid());
    const auto runner = bench.spawn();
    bench.begin(runner, "wait for a file", '"' + file + '"');
    bench.expect<RunProgress>(runner);
    bench.pool().ask_to_stop(runner, engine::StopCause::Cancel, seconds(30));
    bench.expect<RunnerBeat>(runner);
    bench.expect<RunnerBeat>(runner);
    std::ofstream{file};
    const auto ended = bench.expect<RunEnded>(runner);
    std::filesystem::remove(file);
    EXPECT_TRUE(ended.completed);
    EXPECT_FALSE(ended.saw_stop);
}

TEST(FunctionRun, IsNotStoppedByWhatWasMeantForTheOneBefore) {
    PoolBench bench;
    const auto runner = bench.spawn();
    bench.begin(runner, "echo", "1");
    bench.pool().ask_to_stop(runner, engine::StopCause::Cancel, seconds(0));
    EXPECT_EQ(bench.expect<RunEnded>(runner).lease, 1);
    bench.begin(runner, "wait");
    bench.expect<RunProgress>(runner);
    bench.expect<RunnerBeat>(runner);
    bench.expect<RunnerBeat>(runner);
    EXPECT_TRUE(bench.told<RunEnded>(runner).empty());
}

TEST(FunctionRun, IsStoppedAlsoWhenItIsAskedBeforeItHasBegun) {
    PoolBench bench;
    const auto runner = bench.spawn();
    kill(bench.pid_of(runner), SIGSTOP);
    bench.begin(runner, "wait");
    bench.pool().ask_to_stop(runner, engine::StopCause::Cancel, seconds(30));
    kill(bench.pid_of(runner), SIGCONT);
    EXPECT_TRUE(bench.expect<RunEnded>(runner).completed);
}

TEST(FunctionRun, TakesArgumentsAndResultsThatDoNotFitIntoASocket) {
    PoolBench bench;
    const std::string args = '"' + std::string(5'000'000, 'x') + '"';
    EXPECT_EQ(bench.run(bench.spawn(), "echo", args).result, args);
}

TEST(FunctionRun, FailsWhenItsResultIsLargerThanAllowed) {
    PoolBench bench({.max_payload = 1000});
    const auto runner = bench.spawn();
    EXPECT_EQ(bench.run(runner, "echo", '"' + std::string(999, 'x') + '"').error.code, error_code::result_too_large);
    EXPECT_TRUE(bench.run(runner, "echo", '"' + std::string(998, 'x') + '"').completed);
}

store::Lease begin_fenced(PoolBench& bench, engine::RunnerId runner, const std::string& name) {
    engine::RunOrder order;
    order.name = name;
    order.args = "null";
    order.fenced = true;
    return bench.begin(runner, order);
}

TEST(Runner, ThatDoesNotReadWhatItIsToldIsKilled) {
    PoolBench bench;
    const auto runner = bench.spawn();
    begin_fenced(bench, runner, "wait");
    bench.expect<RunProgress>(runner);
    kill(bench.pid_of(runner), SIGSTOP);
    for (int i = 0; i < 100'000; ++i) bench.pool().set_fence(platform::machine_time() + seconds(300));
    EXPECT_EQ(bench.expect<RunnerGone>(runner).how, "killed: does not read its control socket");
}

TEST(Runner, IsUsedAgainForTheNextTask) {
    PoolBench bench;
    const auto runner = bench.spawn();
    EXPECT_EQ(bench.run(runner, "pid").result, bench.run(runner, "pid").result);
}

TEST(Runner, LeavesAfterAsManyTasksAsItMayRun) {
    PoolBench bench({.max_tasks_per_runner = 2});
    const auto runner = bench.spawn();
    EXPECT_FALSE(bench.run(runner, "echo").leaves);
    EXPECT_TRUE(bench.run(runner, "echo").leaves);
    EXPECT_EQ(bench.expect<RunnerGone>(runner).how, "exit code 0");
}

TEST(Runner, BeatsWhileItsTaskHoldsTheMainThreadWithAllSignalsBlocked) {
    PoolBench bench;
    const auto runner = bench.spawn();
    bench.begin(runner, "block");
    bench.expect<RunProgress>(runner);
    bench.expect<RunnerBeat>(runner);
    bench.expect<RunnerBeat>(runner);
    bench.pool().kill(runner);
    EXPECT_EQ(bench.expect<RunnerGone>(runner).how, "killed by SIGKILL");
}

TEST(Runner, CrashIsToldWithItsSignalAndTouchesNoOther) {
    PoolBench bench;
    const auto doomed = bench.spawn();
    const auto sibling = bench.spawn();
    bench.begin(sibling, "wait");
    bench.expect<RunProgress>(sibling);
    bench.begin(doomed, "segfault");
    EXPECT_EQ(bench.expect<RunnerGone>(doomed).how, "killed by SIGSEGV");
    bench.pool().ask_to_stop(sibling, engine::StopCause::Cancel, seconds(30));
    EXPECT_TRUE(bench.expect<RunEnded>(sibling).completed);
}

TEST(Runner, ExitOfTheTaskIsToldAsWhatItIs) {
    PoolBench bench;
    const auto first = bench.spawn();
    bench.begin(first, "exit", "0");
    EXPECT_EQ(bench.expect<RunnerGone>(first).how, "exit code 0");
    const auto second = bench.spawn();
    bench.begin(second, "exit", "3");
    const auto gone = bench.expect<RunnerGone>(second);
    EXPECT_EQ(gone.how, "exit code 3");
    EXPECT_FALSE(gone.fenced);
}

/// With control groups where this machine has them, and without.
class Tree : public ::testing::TestWithParam<bool> {
protected:
    PoolBench bench{{}, GetParam()};
    engine::RunnerId runner = bench.spawn();
};
INSTANTIATE_TEST_SUITE_P(, Tree, ::testing::Bool(),
                         [](const auto& each) { return each.param ? "WithCgroups" : "WithoutCgroups"; });

TEST_P(Tree, WhatATaskHasLeftIsKilledBeforeItIsSaidThatTheTaskHasEnded) {
    EXPECT_TRUE(bench.run(runner, "daemon").completed);
    EXPECT_EQ(processes_of(bench.worker()), 1U);
}

TEST_P(Tree, RunnerIsGoneOnlyWhenWhatItsTaskHasLeftIsDeadToo) {
    bench.begin(runner, "daemon then crash");
    EXPECT_EQ(bench.expect<RunnerGone>(runner).how, "killed by SIGABRT");
    EXPECT_EQ(processes_of(bench.worker()), 0U);
}

TEST_P(Tree, KillOfTheRunnerEndsEveryProcessOfItsTask) {
    bench.begin(runner, "daemon then hang");
    bench.expect<RunProgress>(runner);
    EXPECT_GE(processes_of(bench.worker()), 2U);
    bench.pool().kill(runner);
    bench.expect<RunnerGone>(runner);
    EXPECT_EQ(processes_of(bench.worker()), 0U);
}

TEST(Runner, FencesItselfWhenTheDeadlinePassesThoughWorkerAndKeeperDoNothing) {
    PoolBench bench;
    const auto runner = bench.spawn();
    bench.begin(runner, "daemon then hang");  // not fenced: goes on
    bench.expect<RunProgress>(runner);
    const auto fenced = bench.spawn();
    begin_fenced(bench, fenced, "daemon then hang");
    bench.expect<RunProgress>(fenced);
    kill(bench.keeper().pid(), SIGSTOP);
    bench.pool().set_fence(platform::machine_time() + milliseconds(300));
    bench.turn_until([&] { return platform::find_process(bench.pid_of(fenced))->state == 'Z'; });
    kill(bench.keeper().pid(), SIGCONT);
    const auto gone = bench.expect<RunnerGone>(fenced);
    EXPECT_TRUE(gone.fenced);
    EXPECT_EQ(gone.how, "fenced itself");
    EXPECT_TRUE(bench.told<RunnerGone>(runner).empty());
}

TEST(Runner, IsFencedByItsKeeperWhileStoppedUnlessItsTaskIsUnfenced) {
    PoolBench bench;
    const auto runner = bench.spawn();
    begin_fenced(bench, runner, "echo");
    bench.expect<engine::RunEnded>(runner);
    bench.begin(runner, "daemon then hang");
    bench.expect<RunProgress>(runner);
    const auto fenced = bench.spawn();
    begin_fenced(bench, fenced, "daemon then hang");
    bench.expect<RunProgress>(fenced);
    for (const auto each : {runner, fenced}) kill(bench.pid_of(each), SIGSTOP);
    bench.pool().set_fence(platform::machine_time() + milliseconds(100));
    const auto gone = bench.expect<RunnerGone>(fenced);
    EXPECT_TRUE(gone.fenced);
    EXPECT_EQ(gone.how, "fenced by its keeper");
    EXPECT_EQ(platform::find_process(bench.pid_of(runner)).value_or(platform::ProcessEntry{}).state, 'T');
    EXPECT_TRUE(bench.told<RunnerGone>(runner).empty());
}

TEST(Runner, GoesOnAsLongAsTheFenceIsMovedAhead) {
    PoolBench bench;
    const auto runner = bench.spawn();
    const Duration fence = platform::machine_time() + seconds(4);
    bench.pool().set_fence(fence);
    begin_fenced(bench, runner, "wait");
    bench.expect<RunProgress>(runner);
    bench.pool().set_fence(platform::machine_time() + seconds(300));
    while (platform::machine_time() < fence + seconds(1)) bench.expect<RunnerBeat>(runner);
    EXPECT_TRUE(bench.told<RunnerGone>(runner).empty());
}

TEST(Runner, OutputOfFunctionsIsLoggedByStream) {
    PoolBench bench;
    const auto runner = bench.spawn();
    bench.run(runner, "print");
    EXPECT_EQ(bench.printed(runner, "stdout"), "from cout\nfrom printf\n");
    EXPECT_EQ(bench.printed(runner, "stderr"), "from cerr\n");
    EXPECT_EQ(bench.printed(runner, "log"), "from log\n");
}

TEST(Runner, OutputIsToldWholeBeforeTheEndOfTheRun) {
    PoolBench bench;
    const auto runner = bench.spawn();
    bench.run(runner, "print", R"({"more":4000})");
    EXPECT_THAT(bench.printed(runner, "stdout"), EndsWith("line 3999 of a text that is a little longer\n"));
}

TEST(Runner, GetsItsStreamsBackAfterATaskThatClosedThem) {
    PoolBench bench;
    const auto runner = bench.spawn();
    EXPECT_TRUE(bench.run(runner, "close").completed);
    bench.run(runner, "print");
    EXPECT_THAT(bench.printed(runner, "stdout"), StartsWith("from cout\n"));
}

}  // namespace
}  // namespace holdfast::runner
