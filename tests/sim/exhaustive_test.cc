#include "proof/sim/exhaustive.h"

#include <gtest/gtest.h>

namespace holdfast::sim {
namespace {

struct Outcome {
    ExhaustiveCounts counts;
    std::size_t runs = 0;
    std::size_t broken = 0;
};

Outcome run(const std::string& scenario, const Part& part) {
    Outcome outcome;
    outcome.counts =
        run_exhaustively(*find_scenario(scenario), 1, part, [&](const RunOptions&, const RunReport& report) {
            ++outcome.runs;
            if (!report.violations.empty()) ++outcome.broken;
            return true;
        });
    return outcome;
}

TEST(Exhaustive, TwoPartsAreTheWhole) {
    const Outcome whole = run("one-task", {}), first = run("one-task", {1, 2}), second = run("one-task", {2, 2});
    EXPECT_GT(whole.counts.calls, 10U);
    EXPECT_EQ(whole.counts.single_faults, 6 * whole.counts.calls);
    EXPECT_EQ(first.counts.single_faults + second.counts.single_faults, whole.counts.single_faults);
    EXPECT_EQ(whole.runs, whole.counts.single_faults + 1) << "and one in which nothing fails";
    EXPECT_EQ(whole.broken, 0U);
}

TEST(Exhaustive, ThereIsNoScenarioOfAnotherName) {
    EXPECT_EQ(find_scenario("one-tusk"), nullptr);
    EXPECT_NE(find_scenario("fan-in"), nullptr);
}

}  // namespace
}  // namespace holdfast::sim
