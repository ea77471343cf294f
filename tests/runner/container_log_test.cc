#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "core/task/task_spec.h"
#include "tests/runner/pool_bench.h"

namespace holdfast::runner {
namespace {

using engine::RunEnded;

/// An engine whose `run` prints, and whose `logs` does, what the test says. It knows of no container afterwards.
class ContainerLogTest : public ::testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (std::filesystem::temp_directory_path() / "holdfast-engine-XXXXXX").string();
        folder_ = mkdtemp(pattern.data());
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    RunEnded run(const std::string& prints, const std::string& logs) {
        const std::string engine = folder_ / "engine";
        std::ofstream(engine)
            << "#!/bin/sh\n[ $1 != --log-level ] || { level=$2; shift 2; }\ncase $1 in\nrun) cat >/dev/null; "
            << prints << " ;;\nlogs) " << logs << " ;;\nesac\n";
        std::filesystem::permissions(engine, std::filesystem::perms::owner_all);
        bench_ = std::make_unique<PoolBench>(PoolLimits{.containers = {.command = {engine}}});
        runner_ = bench_->spawn();
        core::TaskSpec spec;
        spec.kind = core::TaskKind::Docker;
        spec.image = "any";
        engine::RunOrder order;
        order.name = "container";
        order.args = "null";
        order.spec = core::to_json_text(spec);
        bench_->begin(runner_, order);
        return bench_->expect<RunEnded>(runner_);
    }
    [[nodiscard]] bool has_asked() const { return std::filesystem::exists(folder_ / "engine.asked"); }
    [[nodiscard]] std::string out() const { return bench_->printed(runner_, "stdout"); }
    [[nodiscard]] std::string err() const { return bench_->printed(runner_, "stderr"); }

private:
    std::filesystem::path folder_;
    std::unique_ptr<PoolBench> bench_;
    engine::RunnerId runner_ = 0;
};

TEST_F(ContainerLogTest, OutputThatTheEngineLostOnItsWayIsTakenFromItsLog) {
    EXPECT_EQ(run("true", "echo 'OUTPUT: 5'; echo oops >&2").result, "5");
    EXPECT_EQ(out(), "OUTPUT: 5\n");
    EXPECT_EQ(err(), "oops\n");
}

TEST_F(ContainerLogTest, ErrorsOfAContainerThatFailedAreTakenFromItToo) {
    EXPECT_EQ(run("exit 3", "echo 'no such table' >&2").error.message, "exit code 3: no such table");
}

TEST_F(ContainerLogTest, OnlyWhatHasNotArrivedIsTakenFromIt) {
    EXPECT_EQ(run("echo one; printf tw; echo bad >&2", "echo one; echo two; echo 'OUTPUT: 5'; echo bad >&2").result,
              "5");
    EXPECT_EQ(out(), "one\ntwo\nOUTPUT: 5\n");
    EXPECT_EQ(err(), "bad\n");
}

TEST_F(ContainerLogTest, ALogThatTellsOtherwiseIsNotUsed) {
    EXPECT_EQ(run("echo 'OUTPUT: 5'", "echo 'OUTPUT: 6'; echo more").result, "5");
    EXPECT_EQ(out(), "OUTPUT: 5\n");
}

TEST_F(ContainerLogTest, ALogWithLessThanHasArrivedIsNotUsed) {
    EXPECT_EQ(run("echo one; echo 'OUTPUT: 5'", "echo one").result, "5");
    EXPECT_EQ(out(), "one\nOUTPUT: 5\n");
}

TEST_F(ContainerLogTest, ANewlineThatOnlyTheLogHasIsNotTakenFromIt) {
    EXPECT_EQ(run("printf 'OUTPUT: 5'", "echo 'OUTPUT: 5'").result, "5");
    EXPECT_EQ(out(), "OUTPUT: 5");
}

TEST_F(ContainerLogTest, WarningsOfTheEngineAreNotTakenFromIt) {
    run("echo one", "echo one; [ $level = fatal ] || echo 'level=error this line is odd' >&2");
    EXPECT_EQ(err(), "");
}

TEST_F(ContainerLogTest, NoMoreThanIsKeptIsTakenFromIt) {
    run("true", "head -c 30000000 /dev/zero | tr '\\0' x");
    EXPECT_THAT(out(), ::testing::EndsWith("xx\n[stdout is longer than 10 MB: the rest is not kept]\n"));
}

TEST_F(ContainerLogTest, ACommandThatWasKilledIsNotAskedForALog) {
    EXPECT_EQ(run("echo one; kill -9 $$", "echo asked > $0.asked").error.message, "killed by SIGKILL");
    EXPECT_FALSE(has_asked());
}

TEST_F(ContainerLogTest, MuchOfItCanBeTakenFromIt) {
    run("seq 50000", "seq 200000");
    std::string all;
    for (int each = 1; each <= 200'000; ++each) all += concat(each, "\n");
    EXPECT_TRUE(out() == all) << out().size() << " bytes of " << all.size();
}

TEST_F(ContainerLogTest, AnEngineIsNotAskedForMoreThanIsKept) {
    run("head -c 10000001 /dev/zero | tr '\\0' x; echo; echo last", "echo asked > $0.asked");
    EXPECT_THAT(out(), ::testing::EndsWith("[stdout is longer than 10 MB: the rest is not kept]\n"));
    EXPECT_FALSE(has_asked());
}

TEST_F(ContainerLogTest, AnEngineWithoutALogIsNotQuoted) {
    EXPECT_EQ(run("exit 3", "echo 'this engine keeps no logs' >&2; exit 125").error.message, "exit code 3");
    EXPECT_EQ(err(), "");
}

}  // namespace
}  // namespace holdfast::runner
