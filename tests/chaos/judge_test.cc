#include "chaos/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/chaos/stories.h"

namespace holdfast::chaos {
namespace {

using core::LeaseEnd;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<Breach> breaches(const Story& story) {
    std::vector<Breach> found;
    for (const Complaint& complaint : judge(story.findings)) found.push_back(complaint.breach);
    return found;
}

/// A task whose worker died under its first lease, and that ran again.
Story run_again_after_crash(OnCrash on_crash) {
    Story story;
    story.line(Mark::Begin, 1, 10);
    TaskSeen& task = story.completed(1, 11);
    task.policy.on_crash = on_crash;
    task.runs.insert(task.runs.begin(), {10, LeaseEnd::Crashed, Story::at(15)});
    return story;
}

Life life_of(std::uint8_t worker, int alive_until) {
    return {.name = "worker-1", .worker = Story::id(worker), .pid = 7, .seen_alive = Story::at(alive_until)};
}

TEST(ChaosJudge, HasNothingToSayAboutARunInWhichAllWentWell) {
    Story story;
    story.completed(1, 10);
    story.completed(2, 11);
    EXPECT_THAT(breaches(story), IsEmpty());
}

TEST(ChaosJudge, FindsAnAcknowledgedTaskThatTheStoreDoesNotHave) {
    Story story;
    story.completed(1, 10);
    story.findings.acknowledged_tasks.push_back(Story::id(2));
    EXPECT_THAT(breaches(story), ElementsAre(Breach::Lost));
}

TEST(ChaosJudge, FindsAnAcknowledgedJobThatTheStoreDoesNotHave) {
    Story story;
    story.findings.acknowledged_jobs.push_back(Story::id(9));
    EXPECT_THAT(breaches(story), ElementsAre(Breach::Lost));
}

TEST(ChaosJudge, FindsATaskThatNeverEnded) {
    for (const TaskState state : {TaskState::Pending, TaskState::Claimed, TaskState::Running}) {
        Story story;
        story.task(1, state, 10, LeaseEnd::Crashed);
        EXPECT_THAT(breaches(story), ElementsAre(Breach::Lost));
    }
}

TEST(ChaosJudge, FindsARunAfterACrashThatThePolicyForbids) {
    EXPECT_THAT(breaches(run_again_after_crash(OnCrash::Fail)), ElementsAre(Breach::RanTwice));
    EXPECT_THAT(breaches(run_again_after_crash(OnCrash::Requeue)), IsEmpty());
}

TEST(ChaosJudge, FindsARunThatFollowedASuccess) {
    Story story = run_again_after_crash(OnCrash::Requeue);
    story.findings.tasks[0].runs[0].end = LeaseEnd::Completed;
    EXPECT_THAT(breaches(story), ElementsAre(Breach::RanTwice));
}

TEST(ChaosJudge, FindsALeaseThatBeganTwice) {
    Story story;
    story.line(Mark::Begin, 1, 10);
    story.completed(1, 10);
    EXPECT_THAT(breaches(story), ElementsAre(Breach::RanTwice));
}

TEST(ChaosJudge, FindsMoreRetriesAndMoreCrashesThanAllowed) {
    for (const LeaseEnd end : {LeaseEnd::Failed, LeaseEnd::Crashed}) {
        Story story;
        TaskSeen& task = story.completed(1, 20);
        task.policy.retry.max_attempts = 2;
        task.policy.on_crash = OnCrash::Requeue;
        task.policy.max_crashes = 1;
        for (int i = 0; i < 3; ++i) task.runs.push_back({i, end, {}});
        EXPECT_THAT(breaches(story), ElementsAre(Breach::RanTwice));
    }
}

TEST(ChaosJudge, FindsTwoRunsOfOneTaskAtOnceFromTheOrderOfTheLines) {
    Story story;
    story.line(Mark::Begin, 1, 10);
    story.line(Mark::Begin, 1, 11);
    story.line(Mark::Done, 1, 10);
    story.line(Mark::Done, 1, 11);
    TaskSeen& task = story.task(1, TaskState::Completed, 11, LeaseEnd::Completed);
    task.policy.on_crash = OnCrash::Requeue;
    task.runs.insert(task.runs.begin(), {10, LeaseEnd::Crashed, {}});
    EXPECT_THAT(breaches(story), ElementsAre(Breach::TwoAtOnce));
}

TEST(ChaosJudge, BelievesTheLockOfTheKernelThatTwoRunAtOnce) {
    Story story;
    story.line(Mark::Begin, 1, 10);
    story.line(Mark::Overlap, 1, 10);
    story.line(Mark::Done, 1, 10);
    story.task(1, TaskState::Completed, 10, LeaseEnd::Completed);
    EXPECT_THAT(breaches(story), ElementsAre(Breach::TwoAtOnce));
}

TEST(ChaosJudge, FindsMoreRunsUnderAKeyThanItsLimit) {
    for (const int limit : {1, 2}) {
        Story story;
        for (const auto task : {std::uint8_t{1}, std::uint8_t{2}}) story.line(Mark::Begin, task, task);
        for (const auto task : {std::uint8_t{1}, std::uint8_t{2}}) {
            story.line(Mark::Done, task, task);
            story.task(task, TaskState::Completed, task, LeaseEnd::Completed).behaviour = {.key = "k",
                                                                                           .limit = limit};
        }
        EXPECT_EQ(breaches(story), limit == 1 ? std::vector{Breach::TwoAtOnce} : std::vector<Breach>{});
    }
}

TEST(ChaosJudge, FindsAVerdictOfCertaintyAgainstALiveProcess) {
    for (const std::string evidence : {"exited", "rebooted", "silent"}) {
        Story story;
        story.findings.lives = {life_of(50, 5000)};
        story.findings.verdicts = {{Story::at(4000), Story::id(50), {}, evidence}};
        EXPECT_EQ(breaches(story), evidence == "silent" ? std::vector<Breach>{} : std::vector{Breach::FalseVerdict});
    }
}

TEST(ChaosJudge, AcceptsAVerdictAfterTheLastSignOfLife) {
    Story story;
    story.findings.lives = {life_of(50, 3000)};
    story.findings.verdicts = {{Story::at(4000), Story::id(50), {}, "exited"}};
    EXPECT_THAT(breaches(story), IsEmpty());
}

TEST(ChaosJudge, FindsARunOfATaskThatTheStoreDoesNotKnow) {
    Story story;
    story.line(Mark::Begin, 1, 10);
    EXPECT_THAT(breaches(story), ElementsAre(Breach::Difference));
}

TEST(ChaosJudge, FindsARunWithoutACommittedStart) {
    Story story;
    story.line(Mark::Begin, 1, 9);
    story.completed(1, 10).policy.on_crash = OnCrash::Requeue;
    EXPECT_THAT(breaches(story), ElementsAre(Breach::Difference));
}

TEST(ChaosJudge, FindsACompletedTaskThatNobodyRan) {
    Story story;
    story.task(1, TaskState::Completed, 10, LeaseEnd::Completed);
    EXPECT_THAT(breaches(story), ElementsAre(Breach::Difference));
}

TEST(ChaosJudge, FindsACompletedTaskWhoseRunDidNotComeToItsEnd) {
    Story story;
    story.line(Mark::Begin, 1, 10);
    story.task(1, TaskState::Completed, 10, LeaseEnd::Completed);
    EXPECT_THAT(breaches(story), ElementsAre(Breach::Difference));
}

TEST(ChaosJudge, FindsAResultOfAnotherRun) {
    Story story;
    story.completed(1, 10).returned_by = 9;
    EXPECT_THAT(breaches(story), ElementsAre(Breach::Difference));
}

TEST(ChaosJudge, FindsAnEndWithoutABeginAndLinesThatCannotBeRead) {
    Story story;
    story.line(Mark::Done, 1, 9);
    story.findings.ledger.unreadable = 1;
    story.completed(1, 10);
    EXPECT_THAT(breaches(story), ElementsAre(Breach::Difference, Breach::Difference));
}

TEST(ChaosJudge, KnowsHowATaskMayFail) {
    struct Case {
        std::string code;
        OnCrash on_crash;
        int crashes;
        bool is_right;
    };
    for (const Case& each :
         {Case{"WORKER_CRASHED", OnCrash::Fail, 1, true}, Case{"WORKER_CRASHED", OnCrash::Requeue, 1, false},
          Case{"WORKER_DRAINED", OnCrash::Fail, 0, true}, Case{"POISON_TASK", OnCrash::Requeue, 4, true},
          Case{"POISON_TASK", OnCrash::Requeue, 2, false}, Case{"TASK_EXCEPTION", OnCrash::Fail, 0, false}}) {
        Story story;
        TaskSeen& task = story.task(1, TaskState::Failed, 10, LeaseEnd::Stopped);
        task.runs.clear();
        for (int i = 0; i < each.crashes; ++i) task.runs.push_back({i, LeaseEnd::Crashed, {}});
        task.error_code = each.code;
        task.policy.on_crash = each.on_crash;
        EXPECT_EQ(breaches(story).empty(), each.is_right) << each.code;
    }
}

TEST(ChaosJudge, FindsAFailureThatTheRunDidNotReport) {
    Story story;
    TaskSeen& task = story.completed(1, 10);
    task.state = TaskState::Failed;
    task.error_code = asked_to_fail;
    task.runs = {{10, LeaseEnd::Failed, {}}};
    EXPECT_THAT(breaches(story), ElementsAre(Breach::Difference));
}

TEST(ChaosJudge, FindsATaskThatFailedBeforeItsAttemptsWereUsedUp) {
    Story story;
    story.line(Mark::Begin, 1, 10);
    story.line(Mark::Failed, 1, 10);
    TaskSeen& task = story.task(1, TaskState::Failed, 10, LeaseEnd::Failed);
    task.error_code = asked_to_fail;
    EXPECT_THAT(breaches(story), IsEmpty());
    task.policy.retry.max_attempts = 2;
    EXPECT_THAT(breaches(story), ElementsAre(Breach::WrongEnd));
}

TEST(ChaosJudge, FindsATaskThatWasCancelledByNobody) {
    Story story;
    story.task(1, TaskState::Cancelled, 0, LeaseEnd::Cancelled);
    EXPECT_THAT(breaches(story), ElementsAre(Breach::WrongEnd));
}

TEST(ChaosJudge, FindsAStepThatDidNotWait) {
    Story story;
    story.completed(2, 11);
    story.completed(1, 10);
    JobSeen job{.id = Story::id(90), .state = JobState::Completed};
    job.steps = {{.name = "first", .state = StepState::Completed, .task = Story::id(1)},
                 {.name = "second", .state = StepState::Completed, .task = Story::id(2), .depends_on = {"first"}}};
    story.findings.jobs = {job};
    EXPECT_THAT(breaches(story), ElementsAre(Breach::OutOfOrder));
    story.findings.jobs[0].steps[1].depends_on.clear();
    EXPECT_THAT(breaches(story), IsEmpty());
}

TEST(ChaosJudge, FindsAJobThatDidNotEndAndOneThatEndedOtherwiseThanItsSteps) {
    Story story;
    story.findings.jobs = {
        {.id = Story::id(90), .state = JobState::Running},
        {.id = Story::id(91), .state = JobState::Completed, .steps = {{.name = "a", .state = StepState::Failed}}},
        {.id = Story::id(92), .state = JobState::Failed, .steps = {{.name = "a", .state = StepState::Completed}}},
        {.id = Story::id(93), .state = JobState::Failed, .steps = {{.name = "a", .state = StepState::Failed}}}};
    EXPECT_THAT(breaches(story), ElementsAre(Breach::Lost, Breach::OutOfOrder, Breach::OutOfOrder));
}

TEST(ChaosJudge, ExcusesAWorkerThatEndsBySigtermOnlyWhenItWasAskedToLeave) {
    Story story;
    Life life = life_of(50, 3000);
    life.ended = true;
    life.status = SIGTERM;
    story.findings.lives = {life};
    EXPECT_THAT(breaches(story), ElementsAre(Breach::Crash));
    story.findings.lives[0].was_asked_to_leave = true;
    EXPECT_THAT(breaches(story), IsEmpty());
    story.findings.lives[0].status = SIGABRT;
    EXPECT_THAT(breaches(story), ElementsAre(Breach::Crash));
}

TEST(ChaosJudge, FindsAWorkerThatDiedOfItself) {
    Story story;
    Life life = life_of(50, 3000);
    life.ended = true;
    life.status = SIGSEGV;
    story.findings.lives = {life};
    EXPECT_THAT(breaches(story), ElementsAre(Breach::Crash));
    story.findings.lives[0].was_killed = true;
    EXPECT_THAT(breaches(story), IsEmpty());
    story.findings.lives[0].overstayed = true;
    EXPECT_THAT(breaches(story), ElementsAre(Breach::Crash));
}

}  // namespace
}  // namespace holdfast::chaos
