#include "proof/chaos/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/chaos/stories.h"

namespace holdfast::chaos {
namespace {

using testing::HasSubstr;

Summary summary_of(const Story& story) {
    return summarise({.seed = 42}, story.findings);
}

TEST(ChaosSummary, SaysThatEveryPromiseWasKept) {
    Story story;
    story.completed(1, 10);
    const Summary summary = summary_of(story);
    EXPECT_TRUE(summary.kept_all_promises());
    EXPECT_THAT(to_table(summary), HasSubstr("every promise was kept"));
    EXPECT_THAT(to_table(summary), HasSubstr("seed 42"));
    EXPECT_EQ(to_json(summary)["tasks"]["completed"], 1);
    EXPECT_EQ(to_json(summary)["broken"]["lost"], 0);
    EXPECT_EQ(to_json(summary)["settled_after_ms"], 1000);
}

TEST(ChaosSummary, NamesWhatWasBroken) {
    Story story;
    story.findings.acknowledged_tasks.push_back({Story::id(3), Story::at(0)});
    const Summary summary = summary_of(story);
    EXPECT_FALSE(summary.kept_all_promises());
    EXPECT_THAT(to_table(summary), HasSubstr("BROKEN: lost: task " + Story::id(3).to_string()));
    EXPECT_EQ(to_json(summary)["broken"]["lost"], 1);
}

TEST(ChaosSummary, TakesARunThatDidNotSettleForABrokenPromise) {
    Story story;
    story.findings.settled_at.reset();
    EXPECT_FALSE(summary_of(story).kept_all_promises());
    EXPECT_THAT(to_table(summary_of(story)), HasSubstr("NOT within 1m"));
}

}  // namespace
}  // namespace holdfast::chaos
