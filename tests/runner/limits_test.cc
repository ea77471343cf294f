#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "core/task/task_spec.h"
#include "platform/cgroups.h"
#include "platform/process_table.h"
#include "tests/runner/pool_bench.h"

namespace holdfast::runner {
namespace {

using engine::RunEnded;
using engine::RunnerGone;
using ::testing::StartsWith;

constexpr std::int64_t mib = 1024 * 1024;

/// With control groups where this machine has them, and without.
class Limits : public ::testing::TestWithParam<bool> {
protected:
    RunEnded run(PoolBench& bench, engine::RunnerId runner, const core::TaskSpec& spec) {
        engine::RunOrder order;
        order.name = "script";
        order.args = "null";
        order.spec = core::to_json_text(spec);
        bench.begin(runner, order);
        return bench.expect<RunEnded>(runner);
    }
};
INSTANTIATE_TEST_SUITE_P(, Limits, ::testing::Bool(),
                         [](const auto& each) { return each.param ? "WithCgroups" : "WithoutCgroups"; });

TEST_P(Limits, FunctionThatEatsMemoryIsKilledAtTheLimitOfItsRunner) {
    PoolBench bench({.memory_bytes = 64 * mib}, GetParam());
    const auto runner = bench.spawn();
    bench.begin(runner, "eat");
    EXPECT_EQ(bench.expect<RunnerGone>(runner).how, "killed: memory limit 64 MiB");
}

TEST_P(Limits, ScriptThatEatsMemoryIsKilledAtItsOwnLimitAndTheRunnerTellsOfIt) {
    PoolBench bench({}, GetParam());
    const auto runner = bench.spawn();
    core::TaskSpec spec;
    spec.script =
        "#!/usr/bin/env python3\nimport time\neaten = []\nwhile True:\n"
        "    eaten.append(bytearray(1 << 20))\n    time.sleep(0.002)\n";
    spec.memory_bytes = 64 * mib;
    const RunEnded ended = run(bench, runner, spec);
    EXPECT_EQ(ended.error.code, "SCRIPT_FAILED");
    EXPECT_THAT(ended.error.message, StartsWith("killed: memory limit 64 MiB"));
}

TEST_P(Limits, LimitOfOneScriptDoesNotBindTheNext) {
    PoolBench bench({}, GetParam());
    const auto runner = bench.spawn();
    core::TaskSpec spec;
    spec.script = "true";
    spec.memory_bytes = 128 * mib;  // more than an instrumented runner has when it forks
    spec.max_processes = 3;
    EXPECT_TRUE(run(bench, runner, spec).completed);
    core::TaskSpec large;
    large.script = "#!/usr/bin/env python3\nimport time\neaten = bytearray(200 << 20)\ntime.sleep(0.6)\n";
    EXPECT_TRUE(run(bench, runner, large).completed);
}

/// Only where this process may make control groups.
bool kernel_limits_processes() {
    const platform::CgroupMaker maker(true);
    const platform::CgroupPaths probe = maker.make("probe");
    platform::CgroupMaker::remove(probe);
    return !probe.pids.empty();
}

core::TaskSpec fork_bomb() {
    core::TaskSpec spec;
    spec.script =
        "#!/usr/bin/env python3\nimport os, time\n"
        "while True:\n    try:\n        os.fork()\n    except OSError:\n        pass\n    time.sleep(0.05)\n";
    spec.max_processes = 40;
    return spec;
}

TEST_P(Limits, ForkBombIsHeldToItsProcessLimitAndLeavesNothing) {
    PoolBench bench({}, GetParam());
    const auto runner = bench.spawn();
    engine::RunOrder order;
    order.name = "bomb";
    order.args = "null";
    order.spec = core::to_json_text(fork_bomb());
    bench.begin(runner, order);
    if (GetParam() && kernel_limits_processes()) {  // it goes on within the limit, until it is stopped
        bench.turn_until([&] { return processes_of(bench.worker()) == 41; });
        bench.expect<engine::RunnerBeat>(runner);
        bench.expect<engine::RunnerBeat>(runner);
        EXPECT_LE(processes_of(bench.worker()), 41U);
        bench.pool().ask_to_stop(runner, engine::StopCause::Timeout, Duration::zero());
        EXPECT_TRUE(bench.expect<RunEnded>(runner).saw_stop);
    } else {
        EXPECT_THAT(bench.expect<RunEnded>(runner).error.message, StartsWith("killed: process limit 40"));
    }
    EXPECT_EQ(processes_of(bench.worker()), 1U);
}

TEST(Cgroups, OwnGroupIsFoundThroughTheMounts) {
    const std::string mounts =
        "33 25 0:30 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
        "37 33 0:34 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
        "38 33 0:35 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:5 - cgroup cgroup rw,cpu,cpuacct\n"
        "43 33 0:40 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";
    const std::string groups = "4:memory:/jobs/7\n1:cpu,cpuacct:/\n0::/user.slice\n";
    EXPECT_EQ(platform::own_cgroup(mounts, groups, "memory"), "/sys/fs/cgroup/memory/jobs/7");
    EXPECT_EQ(platform::own_cgroup(mounts, groups, "cpuacct"), "/sys/fs/cgroup/cpu,cpuacct");
    EXPECT_EQ(platform::own_cgroup(mounts, groups, ""), "/sys/fs/cgroup/unified/user.slice");
    EXPECT_EQ(platform::own_cgroup(mounts, groups, "pids"), std::nullopt);
    EXPECT_EQ(platform::own_cgroup("", groups, "memory"), std::nullopt);
}

TEST(Cgroups, OwnGroupIsFoundBelowAMountOfAPartOfTheHierarchy) {
    const std::string mounts = "37 33 0:34 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n";
    EXPECT_EQ(platform::own_cgroup(mounts, "4:memory:/docker/abc/x\n", "memory"), "/sys/fs/cgroup/memory/x");
    EXPECT_EQ(platform::own_cgroup(mounts, "4:memory:/docker/abc\n", "memory"), "/sys/fs/cgroup/memory");
}

}  // namespace
}  // namespace holdfast::runner
