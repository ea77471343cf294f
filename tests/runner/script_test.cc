#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "core/task/task_spec.h"
#include "platform/files.h"
#include "runner/printout.h"
#include "tests/runner/pool_bench.h"

namespace holdfast::runner {
namespace {

using engine::RunEnded;
using engine::RunnerGone;
using engine::RunProgress;
using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ScriptRun : public ::testing::Test {
protected:
    store::Lease begin(const core::TaskSpec& spec, const std::string& args = "null") {
        engine::RunOrder order;
        order.name = "script";
        order.args = args;
        order.spec = core::to_json_text(spec);
        order.attempt = 2;
        order.checkpoint = checkpoint;
        order.traceparent = traceparent;
        return bench.begin(runner, order);
    }
    store::Lease begin(const std::string& script) {
        core::TaskSpec spec;
        spec.script = script;
        return begin(spec);
    }
    RunEnded run(const core::TaskSpec& spec, const std::string& args = "null") {
        begin(spec, args);
        return bench.expect<RunEnded>(runner);
    }
    RunEnded run(const std::string& script, const std::string& args = "null") {
        core::TaskSpec spec;
        spec.script = script;
        return run(spec, args);
    }
    [[nodiscard]] std::string out() const { return bench.printed(runner, "stdout"); }
    [[nodiscard]] std::string err() const { return bench.printed(runner, "stderr"); }
    void wait_for_output(const std::string& text) {
        bench.turn_until([&] { return out().find(text) != std::string::npos; });
    }

    PoolBench bench;
    engine::RunnerId runner = bench.spawn();
    std::string checkpoint;
    std::string traceparent;
};

TEST_F(ScriptRun, CompletesWithNullWhenItGivesNoResult) {
    const RunEnded ended = run("echo hello; echo there >&2");
    EXPECT_TRUE(ended.completed);
    EXPECT_EQ(ended.result, "null");
    EXPECT_EQ(out(), "hello\n");
    EXPECT_EQ(err(), "there\n");
}

TEST_F(ScriptRun, IsRunByTheInterpreterThatItNames) {
    const RunEnded ended = run("#!/usr/bin/env python3\nimport sys\nprint('OUTPUT:', sys.version_info[0])\n");
    EXPECT_EQ(ended.result, "3");
}

TEST_F(ScriptRun, GetsItsArgumentsOnStdinAndInItsEnvironment) {
    run("cat; echo; echo \"$HOLDFAST_ARGS\"", R"({"db":"orders"})");
    EXPECT_EQ(out(), "{\"db\":\"orders\"}\n{\"db\":\"orders\"}\n");
}

TEST_F(ScriptRun, FindsItsTaskInItsEnvironment) {
    core::TaskSpec spec;
    spec.script = "echo $GREETING $HOLDFAST_LEASE $HOLDFAST_ATTEMPT $HOLDFAST_WORKER; echo $HOLDFAST_TASK_ID";
    spec.env = {{"GREETING", "hi there"}};
    run(spec);
    EXPECT_THAT(out(), StartsWith(concat("hi there 1 2 ", bench.worker(), "\n")));
    EXPECT_TRUE(Uuid::parse(out().substr(out().find('\n') + 1, 36)).has_value());
}

TEST_F(ScriptRun, HasItsSecretsAndNothingThatItTellsShowsThem) {
    setenv("SCRIPT_TEST_PASSWORD", "swordfish", 1);  // runners are started with the environment of now
    PoolBench with_secret;
    const engine::RunnerId with = with_secret.spawn();
    core::TaskSpec spec;
    spec.script =
        "test ${#PASSWORD} = 9 && echo \"it is $PASSWORD\" && echo \"$PASSWORD\" >&2 && "
        "echo \"OUTPUT: {\\\"leaked\\\": \\\"$PASSWORD\\\"}\"";
    spec.secrets = {{"PASSWORD", "env:SCRIPT_TEST_PASSWORD"}};
    engine::RunOrder order;
    order.name = "script";
    order.spec = core::to_json_text(spec);
    with_secret.begin(with, order);
    const auto ended = with_secret.expect<RunEnded>(with);
    unsetenv("SCRIPT_TEST_PASSWORD");
    EXPECT_TRUE(ended.completed);
    EXPECT_EQ(ended.result, R"({"leaked": "***"})");
    EXPECT_THAT(with_secret.printed(with, "stdout"), StartsWith("it is ***\n"));
    EXPECT_EQ(with_secret.printed(with, "stderr"), "***\n");
}

TEST_F(ScriptRun, FailsWithACodeOfItsOwnWhenASecretIsNotThere) {
    core::TaskSpec spec;
    spec.script = "echo started";
    spec.secrets = {{"PASSWORD", "file:/nonexistent/password"}};
    const RunEnded ended = run(spec);
    EXPECT_FALSE(ended.completed);
    EXPECT_EQ(ended.error.code, "SECRET_NOT_AVAILABLE");
    EXPECT_EQ(ended.error.message, "secret PASSWORD: this worker cannot read the file /nonexistent/password");
    EXPECT_EQ(out(), "");
}

TEST_F(ScriptRun, FindsTheTraceItBelongsToInItsEnvironment) {
    run("echo ${TRACEPARENT-none}");
    traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    run("echo ${TRACEPARENT-none}");
    core::TaskSpec spec;
    spec.script = "echo ${TRACEPARENT-none}";
    spec.env = {{"TRACEPARENT", "its own"}};
    run(spec);
    EXPECT_EQ(out(), concat("none\n", traceparent, "\nits own\n"));
}

TEST_F(ScriptRun, WorksInAFreshDirectoryThatIsRemovedAfterwards) {
    run("ls; pwd; touch file");
    const std::string folder = out().substr(0, out().size() - 1);
    EXPECT_THAT(folder, EndsWith("/work"));
    EXPECT_FALSE(std::filesystem::exists(folder));
    EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(folder).parent_path()));
}

TEST_F(ScriptRun, FilesThatItMountsInItsDirectoryAreNotRemovedWithThat) {
    const platform::PrivateFolder foreign("holdfast-test.");
    const std::string file = foreign.path() + "/file";
    std::ofstream(file) << "kept";
    EXPECT_TRUE(run("mkdir 'm m'; mount --bind " + foreign.path() + " 'm m' || true; pwd").completed);
    EXPECT_TRUE(std::filesystem::exists(file));
    const std::string folder = out().substr(0, out().find('\n'));
    EXPECT_FALSE(std::filesystem::exists(folder)) << folder << ": is not left mounted";
}

TEST_F(ScriptRun, WorksInTheDirectoryThatItNames) {
    core::TaskSpec spec;
    spec.script = "pwd";
    spec.dir = "/usr";
    run(spec);
    EXPECT_EQ(out(), "/usr\n");
}

TEST_F(ScriptRun, FailsWhenItsDirectoryIsMissing) {
    core::TaskSpec spec;
    spec.script = "pwd";
    spec.dir = "/nowhere/at/all";
    const RunEnded ended = run(spec);
    EXPECT_FALSE(ended.completed);
    EXPECT_EQ(ended.error.code, "SCRIPT_FAILED");
    EXPECT_EQ(ended.error.message, "cannot enter the directory /nowhere/at/all: No such file or directory");
}

TEST_F(ScriptRun, FailsWhenItsInterpreterIsMissing) {
    const RunEnded ended = run("#!/nowhere/python\n");
    EXPECT_EQ(ended.error.code, "SCRIPT_FAILED");
    EXPECT_THAT(ended.error.message, HasSubstr("cannot execute"));
}

TEST_F(ScriptRun, CompletesWithWhatIsInTheResultFile) {
    const RunEnded ended = run("echo 'OUTPUT: 1'; echo '{\"rows\": 7}' > $HOLDFAST_RESULT");
    EXPECT_TRUE(ended.completed);
    EXPECT_EQ(ended.result, R"({"rows": 7})");
}

TEST_F(ScriptRun, CompletesWithItsLastLineWhenThatIsMarkedAsOutput) {
    EXPECT_EQ(run("echo 'OUTPUT: 1'; echo 'OUTPUT: {\"rows\":[8]}'").result, R"({"rows":[8]})");
    EXPECT_EQ(run("echo 'OUTPUT: 1'; echo later").result, "null");
    EXPECT_EQ(run("printf 'OUTPUT: 5'").result, "5");
}

TEST_F(ScriptRun, FailsWhenItsResultIsNoJson) {
    EXPECT_EQ(run("echo 'rows: 7' > $HOLDFAST_RESULT").error.code, error_code::result_not_readable);
    EXPECT_EQ(run("echo 'OUTPUT: {'").error.code, error_code::result_not_readable);
}

TEST_F(ScriptRun, FailsWithItsExitCodeAndTheLastLineOfStderr) {
    const RunEnded ended = run("echo first >&2; echo 'no such table' >&2; exit 3");
    EXPECT_FALSE(ended.completed);
    EXPECT_FALSE(ended.saw_stop);
    EXPECT_EQ(ended.error.code, "SCRIPT_FAILED");
    EXPECT_EQ(ended.error.message, "exit code 3: no such table");
    EXPECT_EQ(ended.error.data, R"({"exit_code":3})");
}

TEST_F(ScriptRun, FailsWithItsExitCodeAfterAFunctionThatIgnoresTheEndsOfChildren) {
    ASSERT_TRUE(bench.run(runner, "ignore ends of children").completed);
    EXPECT_EQ(run("exit 3").error.message, "exit code 3");
}

TEST_F(ScriptRun, FailsWithTheSignalThatKilledIt) {
    EXPECT_EQ(run("kill -SEGV $$").error.message, "killed by SIGSEGV");
}

TEST_F(ScriptRun, TellsProgressAndCheckpointsThroughItsSocket) {
    const RunEnded ended = run(R"(#!/usr/bin/env python3
import os, socket
s = socket.socket(socket.AF_UNIX)
s.connect(os.environ["HOLDFAST_SOCKET"])
f = s.makefile("rw")
def say(line):
    f.write(line + "\n"); f.flush()
    return f.readline().strip()
print(say('{"progress": 0.4, "text": "half"}'))
print(say('{"checkpoint": {"page": 3}}'))
print(say('{"progress": 7}'))
print(say('nonsense'))
)");
    ASSERT_TRUE(ended.completed) << ended.error.message << err();
    const auto news = bench.told<RunProgress>(runner);
    ASSERT_FALSE(news.empty());
    EXPECT_EQ(news.front().fraction, 0.4);
    EXPECT_EQ(news.front().text, "half");
    EXPECT_EQ(news.back().checkpoint, R"({"page":3})");
    EXPECT_EQ(out(),
              "{}\n{}\n{\"error\":\"progress must be a fraction from 0 to 1, not 7\"}\n"
              "{\"error\":\"expected a JSON object in a line\"}\n");
}

TEST_F(ScriptRun, FindsTheCheckpointOfAnEarlierRun) {
    checkpoint = R"({"page":3})";
    EXPECT_EQ(run("cat $HOLDFAST_CHECKPOINT > $HOLDFAST_RESULT").result, R"({"page":3})");
}

TEST_F(ScriptRun, OutputIsToldWhileItRuns) {
    begin("echo early; exec sleep 1000");
    wait_for_output("early\n");
    EXPECT_TRUE(bench.told<RunEnded>(runner).empty());
}

TEST_F(ScriptRun, OutputIsCutAtTheCapOfEachStreamWithAMarker) {
    const RunEnded ended = run("yes 0123456789 | head -c 14999996; echo end >&2; echo 'OUTPUT: 9'");
    EXPECT_EQ(ended.result, "9");
    const std::string text = out();
    EXPECT_GE(text.size(), Printout::cap);
    EXPECT_LE(text.size(), Printout::cap + 100);
    EXPECT_THAT(text.substr(text.size() - 100), EndsWith("\n[stdout is longer than 10 MB: the rest is not kept]\n"));
    EXPECT_EQ(err(), "end\n");
}

TEST_F(ScriptRun, WaitsWhileWhatItPrintedIsNotStored) {
    bench.acknowledges = false;
    begin("yes 0123456789 | head -c 5000000; echo done");
    bench.turn_until([&] { return out().size() >= Printout::window - 64 * 1024; });
    bench.expect<engine::RunnerBeat>(runner);
    bench.expect<engine::RunnerBeat>(runner);
    EXPECT_LE(out().size(), Printout::window + 256 * 1024);
    EXPECT_TRUE(bench.told<RunEnded>(runner).empty());
    bench.acknowledges = true;
    bench.pool().logs_stored(runner, out().size());
    EXPECT_TRUE(bench.expect<RunEnded>(runner).completed);
    EXPECT_THAT(out(), EndsWith("done\n"));
}

TEST_F(ScriptRun, BytesThatAreNoUtf8StayReadable) {
    run(R"(printf 'caf\351 \303\251 \000 \342\202'; sleep 0.3; printf '\254\n')");
    EXPECT_EQ(out(), "caf\\xE9 é \\x00 €\n");
}

TEST_F(ScriptRun, MayCloseItsStreams) {
    const RunEnded ended = run("exec <&- >&- 2>&-; sleep 0.1; exit 4");
    EXPECT_EQ(ended.error.message, "exit code 4");
}

TEST_F(ScriptRun, StopsWithAllItsProcessesWhateverTheirSessionAndSignals) {
    begin(R"(trap '' TERM
sh -c "trap '' TERM; echo child; while :; do sleep 1; done" &
setsid sh -c "trap '' TERM; echo stranger; while :; do sleep 1; done" &
(setsid sh -c "trap '' TERM; echo orphan; while :; do sleep 1; done" & )
wait)");
    for (const char* name : {"child", "stranger", "orphan"}) wait_for_output(name);
    EXPECT_GE(processes_of(bench.worker()), 5U);
    bench.pool().ask_to_stop(runner, engine::StopCause::Timeout, milliseconds(200));
    const auto ended = bench.expect<RunEnded>(runner);
    EXPECT_TRUE(ended.saw_stop);
    EXPECT_FALSE(ended.completed);
    EXPECT_EQ(processes_of(bench.worker()), 1U) << "the runner alone";
}

TEST_F(ScriptRun, MayTidyUpWhenItIsAskedToStop) {
    begin("trap 'echo tidied; exit 1' TERM; echo ready; while :; do sleep 0.05; done");
    wait_for_output("ready");
    bench.pool().ask_to_stop(runner, engine::StopCause::Cancel, seconds(60));
    EXPECT_TRUE(bench.expect<RunEnded>(runner).saw_stop);
    EXPECT_THAT(out(), EndsWith("tidied\n"));
}

TEST_F(ScriptRun, WhatItLeftInTheBackgroundIsKilledAtItsEnd) {
    EXPECT_TRUE(run("(setsid sleep 1000 &) ; sleep 1000 & echo done").completed);
    EXPECT_EQ(processes_of(bench.worker()), 1U);
}

TEST_F(ScriptRun, KillOfTheRunnerEndsItsProcessesAndRemovesItsDirectory) {
    begin("pwd; (setsid sleep 1000 &); sleep 1000");
    wait_for_output("/work\n");
    bench.pool().kill(runner);
    bench.expect<RunnerGone>(runner);
    EXPECT_EQ(processes_of(bench.worker()), 0U);
    const std::string folder = out().substr(0, out().size() - 1);
    bench.close();
    EXPECT_FALSE(std::filesystem::exists(folder));
}

}  // namespace
}  // namespace holdfast::runner
