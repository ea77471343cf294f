#include "sim/world.h"

#include <gtest/gtest.h>

namespace holdfast::sim {
namespace {

RunOptions calm_world(std::uint64_t seed) {
    RunOptions options;
    options.seed = seed;
    options.limits.kinds.emplace();
    options.busy_for = std::chrono::minutes(2);
    return options;
}

TEST(World, WithoutFaultsEverythingEndsAndNothingIsBroken) {
    const RunReport report = World(calm_world(3)).run();
    EXPECT_TRUE(report.violations.empty());
    EXPECT_GT(report.runs, 0U);
    EXPECT_TRUE(report.faults.empty());
}

TEST(World, IsTheSameForTheSameSeedAndAnotherForAnother) {
    const RunReport first = World({.seed = 11}).run();
    EXPECT_EQ(first.hash, World({.seed = 11}).run().hash);
    EXPECT_NE(first.hash, World({.seed = 12}).run().hash);
    EXPECT_FALSE(first.struck.empty());
}

TEST(World, HasOnlyTheFaultsThatItMayHave) {
    RunOptions options{.seed = 11};
    options.limits.kinds = std::set<Fault>{Fault::AnswerLost};
    const RunReport report = World(options).run();
    ASSERT_EQ(report.faults.size(), 1U);
    EXPECT_EQ(report.faults.begin()->first, Fault::AnswerLost);

    options.limits.only = std::set<FaultKey>{report.struck.front()};
    EXPECT_EQ(World(options).run().struck, std::vector<FaultKey>{report.struck.front()});
}

}  // namespace
}  // namespace holdfast::sim
