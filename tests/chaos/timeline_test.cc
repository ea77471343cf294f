#include "proof/chaos/timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/chaos/stories.h"

namespace holdfast::chaos {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
    return count;
}

Story story_with_faults() {
    Story story;
    story.completed(1, 10);
    story.findings.blows = {{.kind = FaultKind::KillWorker, .at = Story::at(1000), .whom = "worker-1"},
                            {.kind = FaultKind::KillWorker, .at = Story::at(2000), .whom = "worker-2"},
                            {.kind = FaultKind::FillDisk, .at = Story::at(3000), .length = std::chrono::seconds(2)}};
    return story;
}

TEST(ChaosTimeline, HasAMarkForEveryFaultAndALaneForEverySort) {
    const std::string picture = draw(timeline_of(story_with_faults().findings, "Chaos", "a run"));
    EXPECT_EQ(count_of(picture, "<title>kill-worker"), 2U);
    EXPECT_EQ(count_of(picture, "<title>fill-disk"), 1U);
    EXPECT_THAT(picture, HasSubstr("kill -9 worker (2)"));
    EXPECT_THAT(picture, HasSubstr("disk full (1)"));
    EXPECT_THAT(picture, Not(HasSubstr("processor busy")));
}

TEST(ChaosTimeline, NeedsNothingFromElsewhereAndEscapesWhatItIsGiven) {
    const std::string picture = draw(timeline_of(story_with_faults().findings, "a < b & c", "\"quoted\""));
    EXPECT_THAT(picture, HasSubstr("a &lt; b &amp; c"));
    EXPECT_THAT(picture, HasSubstr("&quot;quoted&quot;"));
    EXPECT_THAT(picture, Not(HasSubstr("href")));
    EXPECT_TRUE(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
}

TEST(ChaosTimeline, CanBeDrawnWhenNothingHappened) {
    EXPECT_TRUE(draw(timeline_of(Findings{}, "", "")).ends_with("</svg>\n"));
}

TEST(ChaosTimeline, TakesLongerStepsForALongRun) {
    Story story = story_with_faults();
    story.findings.settled_at = Story::at(0) + std::chrono::minutes(30);
    const Timeline timeline = timeline_of(story.findings, "", "");
    EXPECT_EQ(timeline.width, std::chrono::seconds(4));
    EXPECT_EQ(timeline.ends.front(), 1U);
}

}  // namespace
}  // namespace holdfast::chaos
