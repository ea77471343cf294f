#include "core/workflow/plan.h"

#include <gtest/gtest.h>

namespace holdfast::core {
namespace {

constexpr Join all{JoinKind::All, 0};
constexpr Join any{JoinKind::Any, 0};
constexpr Join two{JoinKind::Quorum, 2};

EndCounts ends(int open, int succeeded, int failed = 0, int skipped = 0) {
    return {open, succeeded, failed, skipped};
}

TEST(Join, AStepWithoutDependenciesRuns) {
    for (const Join& join : {all, any}) EXPECT_EQ(resolve(join, false, {}), Resolution::Run);
}

TEST(Join, AllRunsAtTheLastSuccessAndSkipsAtTheFirstOfAnythingElse) {
    EXPECT_EQ(resolve(all, false, ends(1, 2)), Resolution::Wait);
    EXPECT_EQ(resolve(all, false, ends(0, 3)), Resolution::Run);
    EXPECT_EQ(resolve(all, false, ends(2, 0, 1)), Resolution::Skip);
    EXPECT_EQ(resolve(all, false, ends(2, 0, 0, 1)), Resolution::Skip);
}

TEST(Join, AnyRunsAtTheFirstSuccessAndSkipsWhenThereCanBeNone) {
    EXPECT_EQ(resolve(any, false, ends(3, 0)), Resolution::Wait);
    EXPECT_EQ(resolve(any, false, ends(1, 0, 1, 1)), Resolution::Wait);
    EXPECT_EQ(resolve(any, false, ends(2, 1)), Resolution::Run);
    EXPECT_EQ(resolve(any, false, ends(0, 0, 2, 1)), Resolution::Skip);
}

TEST(Join, AQuorumRunsAtTheNthSuccessAndSkipsWhenItIsOutOfReach) {
    EXPECT_EQ(resolve(two, false, ends(2, 1)), Resolution::Wait);
    EXPECT_EQ(resolve(two, false, ends(1, 2)), Resolution::Run);
    EXPECT_EQ(resolve(two, false, ends(1, 1, 1)), Resolution::Wait);
    EXPECT_EQ(resolve(two, false, ends(1, 0, 2)), Resolution::Skip);
    EXPECT_EQ(resolve(two, false, ends(0, 1, 2)), Resolution::Skip);
}

TEST(Join, WithFailedDependenciesAllowedAFailedJoinRunsWhenAllHaveEnded) {
    for (const Join& join : {all, any, two}) {
        EXPECT_EQ(resolve(join, true, ends(1, 0, 2)), Resolution::Wait);
        EXPECT_EQ(resolve(join, true, ends(0, 0, 2, 1)), Resolution::Run);
    }
    EXPECT_EQ(resolve(any, true, ends(2, 1)), Resolution::Run) << "a join that is met waits for nothing";
}

/// For every way in which up to four dependencies can have ended: what was decided early is never taken back.
TEST(Join, NoFurtherEndChangesWhatWasDecided) {
    for (const Join& join : {all, any, Join{JoinKind::Quorum, 1}, two, Join{JoinKind::Quorum, 4}})
        for (const bool allow : {false, true})
            for (int code = 0; code < 4 * 4 * 4 * 4; ++code) {
                EndCounts counts;
                for (int rest = code, i = 0; i < 4; ++i, rest /= 4)
                    ++(rest % 4 == 0   ? counts.open
                       : rest % 4 == 1 ? counts.succeeded
                       : rest % 4 == 2 ? counts.failed
                                       : counts.skipped);
                const Resolution now = resolve(join, allow, counts);
                if (counts.open == 0) {
                    EXPECT_NE(now, Resolution::Wait);
                    continue;
                }
                for (int EndCounts::*end : {&EndCounts::succeeded, &EndCounts::failed, &EndCounts::skipped}) {
                    EndCounts later = counts;
                    --later.open;
                    ++(later.*end);
                    if (now != Resolution::Wait) {
                        EXPECT_EQ(resolve(join, allow, later), now);
                    }
                }
            }
}

}  // namespace
}  // namespace holdfast::core
