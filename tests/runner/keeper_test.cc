#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "core/task/task_spec.h"
#include "platform/process_table.h"
#include "platform/sockets.h"
#include "tests/runner/pool_bench.h"

namespace holdfast::runner {
namespace {

using engine::RunnerGone;
using engine::RunProgress;
using std::chrono::milliseconds;

/// A runner with a daemon that ignores SIGTERM, in a session of its own.
engine::RunnerId spawn_with_daemon(PoolBench& bench) {
    const auto runner = bench.spawn();
    bench.begin(runner, "daemon then hang");
    bench.expect<RunProgress>(runner);
    return runner;
}

bool is_alive(pid_t pid) {
    const auto process = platform::find_process(pid);
    return process && process->state != 'Z';
}

TEST(Keeper, KillsEverythingWhenItsWorkerIsGone) {
    PoolBench bench;
    spawn_with_daemon(bench);
    spawn_with_daemon(bench);
    EXPECT_GE(processes_of(bench.worker()), 4U);
    bench.close();
    EXPECT_EQ(processes_of(bench.worker()), 0U);
}

TEST(Keeper, HoldsADescriptorOpenUntilEverythingIsDead) {
    PoolBench bench;
    spawn_with_daemon(bench);
    auto [ours, held] = platform::pipe_pair();
    bench.keeper().hold_open(held.get());
    held.close();
    char byte = 0;
    platform::set_nonblocking(ours.get());
    EXPECT_LT(read(ours.get(), &byte, 1), 0) << "the keeper still has the other end";
    bench.close();
    EXPECT_EQ(read(ours.get(), &byte, 1), 0);
}

TEST(Keeper, OutlivesTheSignalsOfATerminal) {
    PoolBench bench;
    for (const int each : {SIGTERM, SIGINT, SIGHUP, SIGQUIT}) kill(bench.keeper().pid(), each);
    EXPECT_TRUE(bench.run(bench.spawn(), "echo").completed);
}

TEST(Keeper, SeesTheEndsOfRunnersThoughItsWorkerWasStartedToIgnoreThem) {
    signal(SIGCHLD, SIG_IGN);
    PoolBench bench;
    signal(SIGCHLD, SIG_DFL);
    const auto runner = bench.spawn();
    kill(bench.pid_of(runner), SIGKILL);
    EXPECT_EQ(bench.expect<RunnerGone>(runner).how, "killed by SIGKILL");
}

TEST(Keeper, DeathOfItKillsEverythingAndIsTold) {
    PoolBench bench;
    const auto runner = spawn_with_daemon(bench);
    kill(bench.keeper().pid(), SIGKILL);
    EXPECT_EQ(bench.expect<RunnerGone>(runner).how, "killed: its keeper died");
    EXPECT_TRUE(bench.has_lost_keeper());
    EXPECT_EQ(processes_of(bench.worker()), 0U);
}

TEST(Keeper, DeathOfItLeavesNothingThoughTheWorkerLeavesAtOnce) {
    PoolBench bench;
    spawn_with_daemon(bench);
    kill(bench.keeper().pid(), SIGKILL);
    bench.turn_until([&] { return bench.has_lost_keeper(); });
    bench.close();
    EXPECT_EQ(processes_of(bench.worker()), 0U);
}

TEST(Keeper, RunnersThatCannotBeStartedAreToldAsGone) {
    PoolBench bench;
    kill(bench.keeper().pid(), SIGKILL);
    bench.turn_until([&] { return bench.has_lost_keeper(); });
    bench.pool().spawn(77);
    EXPECT_EQ(bench.expect<RunnerGone>(77).how, "cannot be started: the keeper does not answer");
}

/// A worker in a process of its own, whose runners are busy; it says its id, and its keeper's pid.
struct Worker {
    pid_t pid = 0;
    pid_t keeper = 0;
    std::string id;
};

Worker start_worker() {
    auto [read_end, write_end] = platform::pipe_pair();
    Worker worker;
    worker.pid = fork();
    if (worker.pid == 0) {
        PoolBench bench;
        spawn_with_daemon(bench);
        spawn_with_daemon(bench);
        const pid_t keeper = bench.keeper().pid();
        [[maybe_unused]] auto written = write(write_end.get(), &keeper, sizeof keeper);
        written = write(write_end.get(), bench.worker().data(), bench.worker().size());
        while (true) pause();
    }
    worker.id.resize(36);
    EXPECT_EQ(read(read_end.get(), &worker.keeper, sizeof worker.keeper), static_cast<ssize_t>(sizeof worker.keeper));
    EXPECT_EQ(read(read_end.get(), worker.id.data(), worker.id.size()), 36);
    return worker;
}

void wait_until_gone(const std::string& worker) {
    const Duration give_up = platform::machine_time() + std::chrono::seconds(30);
    while (processes_of(worker) > 0 && platform::machine_time() < give_up) usleep(1000);
    EXPECT_EQ(processes_of(worker), 0U);
}

TEST(Keeper, KillOfTheWorkerLeavesNothing) {
    const Worker worker = start_worker();
    EXPECT_GE(processes_of(worker.id), 4U);
    kill(worker.pid, SIGKILL);
    waitpid(worker.pid, nullptr, 0);
    wait_until_gone(worker.id);
}

TEST(Keeper, KillOfWorkerAndKeeperAtOnceLeavesNothing) {
    const Worker worker = start_worker();
    kill(worker.pid, SIGSTOP);
    kill(worker.keeper, SIGKILL);
    kill(worker.pid, SIGKILL);
    waitpid(worker.pid, nullptr, 0);
    wait_until_gone(worker.id);
}

TEST(Keeper, IsKilledWhileTheWorkerIsStoppedAndStillNothingIsLeft) {
    const Worker worker = start_worker();
    kill(worker.pid, SIGSTOP);
    kill(worker.keeper, SIGKILL);
    wait_until_gone(worker.id);
    EXPECT_TRUE(is_alive(worker.pid));
    kill(worker.pid, SIGKILL);
    waitpid(worker.pid, nullptr, 0);
}

TEST(ProcessesOfAWorker, AreFoundByTheirEnvironmentAndKilledWithTheirDescendants) {
    const std::string worker = concat("keeper-test-", getpid());
    const pid_t child = fork();
    if (child == 0) {
        setenv("HOLDFAST_WORKER", worker.c_str(), 1);
        execl("/bin/sh", "sh", "-c", "env -i setsid sh -c 'sleep 1000; :' & sleep 1000; :", nullptr);
        _exit(127);
    }
    const Duration give_up = platform::machine_time() + std::chrono::seconds(30);
    while (platform::descendants_of(child).size() < 3 && platform::machine_time() < give_up) usleep(1000);
    const auto tree = platform::descendants_of(child);
    ASSERT_GE(tree.size(), 3U);
    EXPECT_EQ(platform::kill_processes_of_worker("another"), 0U);
    EXPECT_TRUE(is_alive(child));
    EXPECT_EQ(platform::kill_processes_of_worker(worker), 0U);
    EXPECT_FALSE(is_alive(child));
    for (const auto& process : tree) EXPECT_FALSE(is_alive(process.pid)) << process.pid;
    waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace holdfast::runner
