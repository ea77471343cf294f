#include "proof/chaos/figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/chaos/stories.h"

namespace holdfast::chaos {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(ChaosFigures, TakePercentilesByNearestRank) {
    std::vector<Duration> values;
    for (int i = 100; i >= 1; --i) values.emplace_back(i);
    EXPECT_EQ(percentile(values, 0.5), Duration(50));
    EXPECT_EQ(percentile(values, 0.99), Duration(99));
    EXPECT_EQ(percentile(values, 1), Duration(100));
    EXPECT_EQ(percentile({Duration(7)}, 0.5), Duration(7));
    EXPECT_EQ(percentile({}, 0.5), Duration(0));
}

Story killed_worker() {
    Story story;
    Life life{.name = "worker-1", .worker = Story::id(50), .pid = 7};
    life.blows = {{.kind = FaultKind::CutPath, .at = Story::at(1000), .length = seconds(9)},
                  {.kind = FaultKind::KillWorker, .at = Story::at(2000)}};
    story.findings.lives = {life};
    return story;
}

TEST(ChaosFigures, MeasureFromTheKillToEachLeaseThatWasSettled) {
    Story story = killed_worker();
    story.findings.verdicts = {{Story::at(2300), Story::id(50), {}, "exited"},
                               {Story::at(2300), Story::id(50), Story::id(1), "exited"},
                               {Story::at(2400), Story::id(50), Story::id(2), "exited"}};
    EXPECT_THAT(settle_times(story.findings),
                ElementsAre(Pair("exited", ElementsAre(milliseconds(300), milliseconds(400)))));
}

TEST(ChaosFigures, MeasureSilenceFromTheFirstBlowThatLasts) {
    Story story = killed_worker();
    story.findings.lives[0].blows = {{.kind = FaultKind::StopWorker, .at = Story::at(1000), .length = seconds(9)},
                                     {.kind = FaultKind::ResetPath, .at = Story::at(5000)}};
    story.findings.verdicts = {{Story::at(6500), Story::id(50), Story::id(1), "silent"}};
    EXPECT_THAT(settle_times(story.findings), ElementsAre(Pair("silent", ElementsAre(milliseconds(5500)))));
}

TEST(ChaosFigures, MeasureAKilledRunnerByTheRunThatItHad) {
    Story story;
    story.line(Mark::Begin, 1, 10, 4711);  // at 10 ms
    TaskSeen& task = story.task(1, TaskState::Failed, 10, core::LeaseEnd::Crashed);
    task.runs[0].finished_at = Story::at(70);
    story.findings.blows = {{.kind = FaultKind::KillRunner, .at = Story::at(20), .pid = 4711}};
    EXPECT_THAT(settle_times(story.findings), ElementsAre(Pair("runner gone", ElementsAre(milliseconds(50)))));
}

TEST(ChaosFigures, MeasureNothingWhenAKilledRunnerWasIdle) {
    Story story;
    story.line(Mark::Begin, 1, 10, 4711);
    story.line(Mark::Done, 1, 10, 4711);
    story.task(1, TaskState::Completed, 10, core::LeaseEnd::Completed);
    story.findings.blows = {{.kind = FaultKind::KillRunner, .at = Story::at(40), .pid = 4711}};
    EXPECT_THAT(settle_times(story.findings), IsEmpty());
}

TEST(ChaosFigures, CountVerdictsThatNothingExplains) {
    Story story = killed_worker();
    story.findings.verdicts = {{Story::at(8000), Story::id(50), {}, "silent"},
                               {Story::at(90'000), Story::id(50), {}, "silent"}};
    EXPECT_EQ(unexplained_verdicts(story.findings, seconds(15)), 1U);
    story.findings.blows = {{.kind = FaultKind::RestartFast, .at = Story::at(88'000)}};
    EXPECT_EQ(unexplained_verdicts(story.findings, seconds(15)), 0U);
}

TaskSeen spanning(int created, std::optional<int> finished) {
    TaskSeen task{.created_at = Story::at(created)};
    if (finished) task.finished_at = Story::at(*finished);
    return task;
}

TEST(ChaosFigures, CallItAStallOnlyWhileThereIsWork) {
    EXPECT_EQ(longest_stall({spanning(0, 100), spanning(50, 400)}), milliseconds(300));
    EXPECT_EQ(longest_stall({spanning(0, 100), spanning(5000, 5050)}), milliseconds(100));
    EXPECT_EQ(longest_stall({}), Duration(0));
}

TEST(ChaosFigures, CountEndsOverTime) {
    const std::vector<TaskSeen> tasks = {spanning(0, 100), spanning(0, 900), spanning(0, 1100), spanning(0, {}),
                                         spanning(0, 9000)};
    EXPECT_THAT(ends_over_time(tasks, Story::at(0), Story::at(2000), seconds(1)), ElementsAre(2, 1, 0));
}

TEST(ChaosFigures, MeasureFromEachPromotionToTheNextRun) {
    Story story;
    story.line(Mark::Begin, 1, 10);  // at 10 ms
    story.line(Mark::Done, 1, 10);   // at 20 ms
    story.line(Mark::Begin, 2, 11);  // at 30 ms
    story.findings.failovers = {{.promoted_at = Story::at(5)}, {.promoted_at = Story::at(12)}};
    EXPECT_THAT(resume_times(story.findings), ElementsAre(milliseconds(5), milliseconds(18)));
    story.findings.failovers.push_back({.promoted_at = Story::at(31)});  // after it nothing ran
    EXPECT_THAT(resume_times(story.findings), ElementsAre(milliseconds(5), milliseconds(18)));
}

}  // namespace
}  // namespace holdfast::chaos
