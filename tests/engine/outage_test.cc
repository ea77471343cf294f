#include <gmock/gmock.h>

#include "engine/worker/outage.h"
#include "tests/engine/worker_harness.h"

namespace holdfast::engine::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string text_of(const std::optional<LogLine>& line) {
    return line ? line->message : "";
}

TEST(Outage, OneLineWhenCallsBeginToFailAndOneWhenTheStoreAnswers) {
    Outage outage;
    EXPECT_EQ(text_of(outage.answered({}, seconds(1))), "");
    EXPECT_THAT(text_of(outage.failed("refused", seconds(1), seconds(2))), HasSubstr("does not answer: refused"));
    EXPECT_TRUE(outage.is_away());
    EXPECT_EQ(text_of(outage.failed("refused", seconds(1), seconds(3))), "");
    EXPECT_THAT(text_of(outage.failed("refused", seconds(1), seconds(32))), HasSubstr("does not answer"));
    EXPECT_THAT(text_of(outage.answered({}, seconds(40))), HasSubstr("answers again after 38s"));
    EXPECT_FALSE(outage.is_away());
    EXPECT_EQ(text_of(outage.answered({}, seconds(41))), "");
    EXPECT_THAT(text_of(outage.failed("refused", seconds(1), seconds(41))), HasSubstr("does not answer"));
}

TEST(Outage, ACallThatIsUnderWayForFiveSecondsIsReportedOnce) {
    Outage outage;
    EXPECT_EQ(outage.due_at(seconds(10)), seconds(15));
    EXPECT_EQ(outage.due_at({}), Duration::max());
    EXPECT_EQ(text_of(outage.look(seconds(10), seconds(14))), "");
    EXPECT_THAT(text_of(outage.look(seconds(10), seconds(15))), HasSubstr("has not answered for 5s, and a call"));
    EXPECT_EQ(text_of(outage.look(seconds(10), seconds(16))), "");
    EXPECT_EQ(outage.due_at(seconds(10)), Duration::max());
    EXPECT_FALSE(outage.is_away()) << "the call may still succeed";
    EXPECT_THAT(text_of(outage.answered({}, seconds(17))), HasSubstr("answers again after 7s"));
    EXPECT_EQ(outage.due_at(seconds(20)), seconds(25));
}

TEST(Outage, TheReasonOfAFailureIsSaidThoughTheSilenceWasReported) {
    Outage outage;
    (void)outage.look(seconds(10), seconds(15));
    EXPECT_THAT(text_of(outage.failed("process 7 holds it", seconds(1), seconds(16))),
                HasSubstr("process 7 holds it"));
    EXPECT_EQ(text_of(outage.look(seconds(10), seconds(20))), "") << "this outage was reported";
    EXPECT_THAT(text_of(outage.answered({}, seconds(30))), HasSubstr("answers again after 20s")) << "since the call";
}

TEST(Outage, ASilenceOfOneCallLastsWhileOthersAreAnswered) {
    Outage outage;
    (void)outage.look(seconds(10), seconds(15));
    EXPECT_EQ(text_of(outage.answered(seconds(10), seconds(16))), "");
    EXPECT_EQ(text_of(outage.look(seconds(10), seconds(17))), "");
    EXPECT_THAT(text_of(outage.answered(seconds(17), seconds(18))), HasSubstr("answers again after 8s"));
}

std::vector<std::string> lines_about_the_store(WorkerHarness& bench) {
    std::vector<std::string> lines;
    for (const Say& each : bench.take<Say>())
        if (each.line.message.find("The store") == 0) lines.push_back(each.line.message);
    return lines;
}

TEST(WorkerOnAStoreThatHangs, ReportsACallThatIsUnderWayForFiveSecondsOnceAndItsEnd) {
    WorkerHarness bench(1);
    bench.join();
    ASSERT_NE(bench.claiming(), nullptr);
    for (int second = 0; second < 5; ++second) {
        EXPECT_THAT(lines_about_the_store(bench), IsEmpty());
        EXPECT_LE(bench.worker.wake_at(), bench.now + seconds(5));
        bench.pass(seconds(1));
        if (bench.under_way<BeatCall>(Lane::Beat) != nullptr) bench.answer(Lane::Beat, store::BeatAnswer{});
    }
    const auto begin = lines_about_the_store(bench);
    ASSERT_THAT(begin, SizeIs(1));
    EXPECT_THAT(begin.front(), HasSubstr("The store has not answered for 5s, and a call is still under way"));
    for (int second = 0; second < 60; ++second) {
        bench.pass(seconds(1));
        if (bench.under_way<BeatCall>(Lane::Beat) != nullptr) bench.answer(Lane::Beat, store::BeatAnswer{});
        if (bench.under_way<SnapshotCall>(Lane::Work) != nullptr) bench.answer(Lane::Work, CallDone{});
    }
    EXPECT_THAT(lines_about_the_store(bench), IsEmpty());
    bench.grant({});
    const auto end = lines_about_the_store(bench);
    ASSERT_THAT(end, SizeIs(1));
    EXPECT_THAT(end.front(), HasSubstr("The store answers again after 1m5s"));
}

TEST(WorkerOnAStoreThatHangs, DoesNotCountTimeInWhichItStoodStillItself) {
    WorkerHarness bench(1);
    bench.join();
    bench.stand_still(std::chrono::minutes(10));
    EXPECT_THAT(lines_about_the_store(bench), IsEmpty());
    bench.grant({});
    EXPECT_THAT(lines_about_the_store(bench), IsEmpty());
}

TEST(WorkerOnAStoreThatHangs, SaysWhyACallFailedThoughItWasReportedAsUnderWay) {
    WorkerHarness bench(1);
    bench.join();
    bench.pass(seconds(6));
    ASSERT_THAT(lines_about_the_store(bench), SizeIs(1));
    bench.answer(Lane::Claim, CallFailed{"process 4711 is writing"});
    const auto lines = lines_about_the_store(bench);
    ASSERT_THAT(lines, SizeIs(1));
    EXPECT_THAT(lines.front(), HasSubstr("The store does not answer: process 4711 is writing"));
}

}  // namespace
}  // namespace holdfast::engine::testing
