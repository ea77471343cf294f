#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "base/descriptor.h"
#include "base/text.h"
#include "core/task/task_spec.h"
#include "platform/files.h"
#include "platform/programs.h"
#include "platform/task_ids.h"
#include "runner/container_tool.h"
#include "tests/runner/pool_bench.h"

namespace holdfast::runner {
namespace {

using engine::RunEnded;
using engine::RunnerGone;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string image = "localhost/holdfast-test:1";

/// Podman with runc: the engine that these tests can have without a daemon.
ContainerTool podman() {
    return {.command = {"podman", "--runtime", "runc", "--cgroup-manager=cgroupfs"},
            .run_options = {"--ulimit", "nofile=1024:4096", "--ulimit", "nproc=1024:4096", "--pull", "never"}};
}

std::string podman_says(const std::vector<std::string>& words) {
    std::vector<std::string> command = podman().command;
    command.insert(command.end(), words.begin(), words.end());
    const auto end = platform::run_program(command, seconds(60));
    return end ? end->output : "no answer";
}

/// An image of nothing but busybox. Tests run beside each other: a second image of the same name would take it from
/// the first while others start containers of it.
void make_image() {
    static bool is_made = false;
    if (std::exchange(is_made, true)) return;
    const std::string lock =
        concat(std::filesystem::temp_directory_path().string(), "/holdfast-image-", getuid(), ".lock");
    const Descriptor turn(open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    ASSERT_EQ(flock(turn.get(), LOCK_EX), 0);
    if (!podman_says({"images", "--quiet", image}).empty()) return;
    const std::string folder = concat(std::filesystem::temp_directory_path().string(), "/holdfast-image-", getpid());
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder + "/bin");
    std::filesystem::create_directories(folder + "/tmp");
    std::filesystem::copy_file("/bin/busybox", folder + "/bin/busybox");
    for (const char* name : {"sh", "cat", "echo", "sleep", "ls", "env", "id", "pwd", "true", "head", "tr", "dd"})
        std::filesystem::create_symlink("busybox", folder + "/bin/" + name);
    const std::string command = concat("tar -C ", folder, " -c . | podman import - ", image, " >/dev/null 2>&1");
    ASSERT_EQ(std::system(command.c_str()), 0);
    std::filesystem::remove_all(folder);
}

std::string containers_of(const store::TaskLease& lease) {
    return podman_says({"ps", "--all", "--filter", concat("label=holdfast.task=", lease.task.to_string()), "--format",
                        "{{.Names}}"});
}

class ContainerRunTest : public ::testing::Test {
protected:
    void SetUp() override {
        make_image();
        runner = bench.spawn();
    }
    static core::TaskSpec script(const std::string& text) {
        core::TaskSpec spec;
        spec.runner = core::ScriptRunner::Docker;
        spec.script = text;
        spec.image = image;
        spec.network = "none";
        return spec;
    }
    void begin(const core::TaskSpec& spec, const std::string& args = "null", bool fenced = false) {
        engine::RunOrder order;
        order.name = "container";
        order.args = args;
        order.spec = core::to_json_text(spec);
        order.fenced = fenced;
        order.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        bench.begin(runner, order);
    }
    RunEnded run(const core::TaskSpec& spec, const std::string& args = "null") {
        begin(spec, args);
        return bench.expect<RunEnded>(runner);
    }
    [[nodiscard]] std::string out() const { return bench.printed(runner, "stdout"); }
    [[nodiscard]] std::string err() const { return bench.printed(runner, "stderr"); }
    void wait_for_output(const std::string& text) {
        bench.turn_until([&] { return out().find(text) != std::string::npos; });
    }
    /// Of the last task.
    [[nodiscard]] std::string containers() const { return containers_of(bench.last_lease()); }

    PoolBench bench{PoolLimits{.containers = podman()}};
    engine::RunnerId runner = 0;
};

TEST_F(ContainerRunTest, ScriptRunsInTheImageAndLeavesNothing) {
    const RunEnded ended =
        run(script("ls /; cat; echo; echo oops >&2; pwd; ls; echo '{\"rows\":7}' > $HOLDFAST_RESULT"),
            R"({"db":"orders"})");
    EXPECT_TRUE(ended.completed) << ended.error.message << err();
    EXPECT_EQ(ended.result, R"({"rows":7})");
    EXPECT_THAT(out(), HasSubstr("holdfast\n"));
    EXPECT_THAT(out(), EndsWith("{\"db\":\"orders\"}\n/holdfast/work\n"));
    EXPECT_EQ(err(), "oops\n");
    EXPECT_EQ(containers(), "");
}

TEST_F(ContainerRunTest, ScriptFindsTheTraceItBelongsToInItsEnvironment) {
    run(script("echo $TRACEPARENT"));
    EXPECT_EQ(out(), "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\n") << err();
}

TEST_F(ContainerRunTest, HasTheVariablesOfItsTaskAndWhatTheWorkerPasses) {
    setenv("PASSED", "passed", 1);
    setenv("OF_ANOTHER_TASK", "secret", 1);
    PoolBench passing({.containers = podman(), .pass_env = {"PASSED"}}, true, {"OF_ANOTHER_TASK"});
    const auto other = passing.spawn();
    unsetenv("PASSED");
    unsetenv("OF_ANOTHER_TASK");
    core::TaskSpec spec = script("env");
    spec.env = {{"OWN", "its own"}};
    engine::RunOrder order;
    order.name = "container";
    order.args = "[1]";
    order.spec = core::to_json_text(spec);
    passing.begin(other, order);
    ASSERT_TRUE(passing.expect<RunEnded>(other).completed) << passing.printed(other, "stderr");
    std::map<std::string, std::string> seen;
    std::istringstream lines(passing.printed(other, "stdout"));
    for (std::string line; std::getline(lines, line);) seen[line.substr(0, line.find('='))] = line;
    // The engine's and the shell's own.
    for (const char* name : {"PATH", "HOME", "HOSTNAME", "TERM", "container", "PWD", "SHLVL", "_"}) seen.erase(name);
    std::vector<std::string> names;
    for (const auto& [name, line] : seen) names.push_back(name);
    EXPECT_THAT(names,
                ::testing::ElementsAre("HOLDFAST_ARGS", "HOLDFAST_ATTEMPT", "HOLDFAST_LEASE", "HOLDFAST_RESULT",
                                       "HOLDFAST_SOCKET", "HOLDFAST_TASK_ID", "HOLDFAST_WORKER", "OWN", "PASSED"));
    EXPECT_EQ(seen["PASSED"], "PASSED=passed");
    EXPECT_EQ(seen["OWN"], "OWN=its own");
    EXPECT_EQ(seen["HOLDFAST_WORKER"], "HOLDFAST_WORKER=" + passing.worker());
}

TEST_F(ContainerRunTest, ScriptIsRunByTheInterpreterThatItNames) {
    EXPECT_EQ(run(script("#!/bin/busybox sh\necho 'OUTPUT: 5'")).result, "5") << err();
}

TEST_F(ContainerRunTest, CommandRunsWithVariablesVolumesAndWorkingDirectory) {
    const auto folder = std::filesystem::temp_directory_path() / concat("holdfast-volume-", getpid());
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "note") << "from the host\n";
    core::TaskSpec spec;
    spec.kind = core::TaskKind::Docker;
    spec.image = image;
    spec.command = {"sh", "-c",
                    "pwd; cat /data/note; echo $GREETING $HOLDFAST_LEASE; echo x > /data/y || echo read-only"};
    spec.env = {{"GREETING", "hi there"}};
    spec.volumes = {folder.string() + ":/data:ro"};
    spec.dir = "/bin";
    spec.network = "none";
    EXPECT_TRUE(run(spec).completed) << err();
    EXPECT_EQ(out(), "/bin\nfrom the host\nhi there 1\nread-only\n");
    std::filesystem::remove_all(folder);
}

TEST_F(ContainerRunTest, FailsWithTheExitCodeOfTheContainer) {
    const RunEnded ended = run(script("echo 'no such table' >&2; exit 3"));
    EXPECT_EQ(ended.error.code, "SCRIPT_FAILED");
    EXPECT_EQ(ended.error.message, "exit code 3: no such table");
}

TEST_F(ContainerRunTest, FailsWithWhatTheEngineSaysWhenTheImageIsMissing) {
    core::TaskSpec spec = script("true");
    spec.image = "localhost/no-such-image:1";
    const RunEnded ended = run(spec);
    EXPECT_EQ(ended.error.code, "SCRIPT_FAILED");
    EXPECT_THAT(ended.error.message, StartsWith("exit code 125: "));
    EXPECT_THAT(ended.error.message, HasSubstr("no-such-image"));
}

TEST_F(ContainerRunTest, MemoryLimitIsKeptByTheEngineAndTold) {
    core::TaskSpec spec = script("head -c 100000000 /dev/zero | tr '\\0' x > /tmp/x; x=$(cat /tmp/x); echo ${#x}");
    spec.memory_bytes = 32 * 1024 * 1024;
    const RunEnded ended = run(spec);
    EXPECT_FALSE(ended.completed);
    EXPECT_THAT(ended.error.message, HasSubstr("memory limit 32 MiB")) << err();
}

TEST_F(ContainerRunTest, StopEndsAndRemovesTheContainer) {
    begin(script("trap '' TERM; while :; do echo ready; sleep 1; done"));
    wait_for_output("ready");
    bench.pool().ask_to_stop(runner, engine::StopCause::Cancel, milliseconds(300));
    EXPECT_TRUE(bench.expect<RunEnded>(runner).saw_stop);
    EXPECT_EQ(containers(), "");
    EXPECT_TRUE(run(script("echo again")).completed);
}

TEST_F(ContainerRunTest, MayTidyUpWhenItIsAskedToStop) {
    begin(script("trap 'echo tidied; exit 1' TERM; while :; do echo ready; sleep 0.1; done"));
    wait_for_output("ready");
    bench.pool().ask_to_stop(runner, engine::StopCause::Cancel, seconds(30));
    EXPECT_TRUE(bench.expect<RunEnded>(runner).saw_stop);
    EXPECT_THAT(out(), EndsWith("tidied\n"));
}

TEST_F(ContainerRunTest, KillOfTheRunnerRemovesTheContainerBeforeTheRunnerIsToldAsGone) {
    begin(script("trap '' TERM; while :; do echo ready; sleep 1; done"));
    wait_for_output("ready");
    bench.pool().kill(runner);
    bench.expect<RunnerGone>(runner);
    EXPECT_EQ(containers(), "");
}

TEST_F(ContainerRunTest, EndOfTheWorkerRemovesTheContainer) {
    begin(script("trap '' TERM; while :; do echo ready; sleep 1; done"));
    wait_for_output("ready");
    bench.close();
    EXPECT_EQ(containers(), "");
}

TEST_F(ContainerRunTest, FenceRemovesTheContainerToo) {
    begin(script("trap '' TERM; while :; do echo ready; sleep 1; done"), "null", true);
    wait_for_output("ready");
    bench.pool().set_fence(platform::machine_time() + milliseconds(100));
    EXPECT_TRUE(bench.expect<RunnerGone>(runner).fenced);
    EXPECT_EQ(containers(), "");
}

TEST_F(ContainerRunTest, ContainersOfALeaseAreRemovedByAnyProcessThatReachesTheEngine) {
    const store::TaskLease lease{platform::new_task_id(), 7}, other{platform::new_task_id(), 7};
    for (const auto& each : {lease, other}) {
        std::vector<std::string> words = run_command(
            podman(), {.lease = each, .spec = script("true"), .folder = "/tmp", .command = {"sleep", "1000"}});
        words.insert(std::ranges::find(words, "run") + 1, "--detach");
        ASSERT_TRUE(platform::run_program(words, seconds(60)).has_value());
    }
    EXPECT_EQ(remove_containers(podman(), lease, seconds(60)), Removal::Removed);
    EXPECT_EQ(containers_of(lease), "");
    EXPECT_EQ(containers_of(other), container_name(other) + "\n");
    EXPECT_EQ(remove_containers(podman(), other, seconds(60)), Removal::Removed);
    EXPECT_EQ(containers_of(other), "");
    EXPECT_EQ(remove_containers(podman(), other, seconds(60)), Removal::NoneHere) << "none is left";
}

TEST_F(ContainerRunTest, FailsWhenTheEngineIsNotThere) {
    PoolBench without({.containers = {.command = {"no-such-engine"}}});
    const auto other = without.spawn();
    engine::RunOrder order;
    order.name = "container";
    order.args = "null";
    order.spec = core::to_json_text(script("true"));
    without.begin(other, order);
    EXPECT_THAT(without.expect<RunEnded>(other).error.message, StartsWith("no-such-engine: cannot execute"));
}

/// What a pool tells of a container's runner whose keeper is killed, when the engine lists containers like this.
/// `meanwhile` is called while that may still be going on.
std::vector<RunnerGone> told_without_keeper(
    const std::string& listing, const std::function<void()>& meanwhile = [] {}) {
    const std::string engine = "case $1 in run) echo ready; exec sleep 1000;; *) " + listing + ";; esac";
    PoolBench bench({.containers = {.command = {"sh", "-c", engine, "engine"}}});
    const auto runner = bench.spawn();
    engine::RunOrder order;
    order.name = "container";
    order.args = "null";
    order.spec = R"({"type":"docker","image":"any"})";
    bench.begin(runner, order);
    bench.turn_until([&] { return bench.printed(runner, "stdout") == "ready\n"; });
    kill(bench.keeper().pid(), SIGKILL);
    bench.turn_until([&] { return bench.has_lost_keeper(); });
    meanwhile();
    bench.turn_until([&] { return bench.pool().size() == 0; });
    return bench.told<RunnerGone>(runner);
}

TEST(ContainerWithoutKeeper, IsToldAsGoneOnlyWhenTheEngineSaysSo) {
    EXPECT_EQ(told_without_keeper("true").size(), 1U);
    EXPECT_EQ(told_without_keeper("false").size(), 0U);
}

TEST(ContainerWithoutKeeper, DoesNotHoldUpTheLoopWhileTheEngineDoesNotAnswer) {
    const platform::PrivateFolder folder("holdfast-container-test");
    const std::string word = folder.path() + "/word";
    ASSERT_EQ(mkfifo(word.c_str(), 0600), 0);
    const Descriptor giver(open(word.c_str(), O_RDWR | O_CLOEXEC));
    // Were the loop held up, the engine would not get its words in time, and nobody could tell whether the run is
    // over. One word for each time that it is asked: the dying runner may ask as well.
    const std::string words = "word\nword\nword\nword\nword\nword\nword\nword\n";
    const auto told = told_without_keeper("read word < " + word, [&] {
        EXPECT_EQ(write(giver.get(), words.data(), words.size()), static_cast<ssize_t>(words.size()));
    });
    EXPECT_EQ(told.size(), 1U);
}

TEST(ContainerTool, EngineThatCannotBeReachedRemovesNothing) {
    EXPECT_EQ(remove_containers({.command = {"/nowhere/docker"}}, {platform::new_task_id(), 7}, seconds(5)),
              Removal::Unknown);
    EXPECT_EQ(remove_containers({.command = {"false"}}, {platform::new_task_id(), 7}, seconds(5)), Removal::Unknown);
}

}  // namespace
}  // namespace holdfast::runner
