#include "proof/chaos/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include "tests/chaos/stories.h"

namespace holdfast::chaos {
namespace {

using core::LeaseEnd;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

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
    story.findings.acknowledged_tasks.push_back({Story::id(2), Story::at(0)});
    EXPECT_THAT(breaches(story), ElementsAre(Breach::Lost));
}

TEST(ChaosJudge, FindsAnAcknowledgedJobThatTheStoreDoesNotHave) {
    Story story;
    story.findings.acknowledged_jobs.push_back({Story::id(9), Story::at(0)});
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

/// A job with two steps, of which the second waits for the first; they are tasks 1 and 2.
JobSeen job_of_two() {
    JobSeen job{.id = Story::id(90), .state = JobState::Completed};
    job.steps = {{.name = "first", .state = StepState::Completed, .task = Story::id(1)},
                 {.name = "second", .state = StepState::Completed, .task = Story::id(2), .depends_on = {"first"}}};
    return job;
}

TEST(ChaosJudge, FindsAStepThatDidNotWait) {
    Story story;
    story.completed(2, 11);
    story.completed(1, 10);
    story.findings.jobs = {job_of_two()};
    EXPECT_THAT(breaches(story), ElementsAre(Breach::OutOfOrder));
    story.findings.jobs[0].steps[1].depends_on.clear();
    EXPECT_THAT(breaches(story), IsEmpty());
}

TEST(ChaosJudge, FindsAStepThatBeganAfterARunOfWhatItDependsOnThatDidNotCompleteIt) {
    struct Case {
        Mark mark;
        LeaseEnd end;
    };
    for (const Case& each : {Case{Mark::Failed, LeaseEnd::Failed}, Case{Mark::Done, LeaseEnd::Crashed}}) {
        for (const bool waits : {false, true}) {
            Story story;
            story.line(Mark::Begin, 1, 10);
            story.line(each.mark, 1, 10);
            if (!waits) story.completed(2, 12);
            TaskSeen& first = story.completed(1, 11);
            first.policy.on_crash = OnCrash::Requeue;
            first.policy.retry.max_attempts = 2;
            first.runs.insert(first.runs.begin(), {10, each.end, Story::at(15)});
            if (waits) story.completed(2, 12);
            story.findings.jobs = {job_of_two()};
            EXPECT_EQ(breaches(story), waits ? std::vector<Breach>{} : std::vector{Breach::OutOfOrder});
        }
    }
}

/// The first step is a child job, of one step and a hook.
Story with_a_child() {
    Story story;
    JobSeen parent = job_of_two();
    parent.steps[0].task = {};
    parent.steps[0].child = Story::id(91);
    JobSeen child{.id = Story::id(91), .state = JobState::Completed};
    child.steps = {{.name = "inner", .state = StepState::Completed, .task = Story::id(1)},
                   {.name = "on_success", .state = StepState::Completed, .task = Story::id(3), .is_hook = true}};
    story.findings.jobs = {parent, child};
    return story;
}

TEST(ChaosJudge, FindsAStepThatDidNotWaitForAChildJob) {
    Story early = with_a_child();
    early.completed(2, 11);
    early.completed(1, 10);
    early.completed(3, 12);
    EXPECT_THAT(breaches(early), ElementsAre(Breach::OutOfOrder));
    Story in_order = with_a_child();
    in_order.completed(1, 10);
    in_order.completed(2, 11);
    in_order.completed(3, 12);  // hooks run after the job, in parallel with steps that wait for it
    EXPECT_THAT(breaches(in_order), IsEmpty());
    in_order.findings.jobs.pop_back();
    EXPECT_THAT(breaches(in_order), ElementsAre(Breach::OutOfOrder));
}

TEST(ChaosJudge, FindsAStepThatRanAlthoughAnItemThatItDependsOnNeverDid) {
    Story story;
    story.completed(1, 10);
    story.completed(2, 11);
    JobSeen job = job_of_two();
    job.steps[0].name = "first[0]";
    job.steps.push_back({.name = "first", .state = StepState::Completed});
    story.findings.jobs = {job};
    EXPECT_THAT(breaches(story), IsEmpty());
    story.findings.jobs[0].steps.push_back({.name = "first[1]", .state = StepState::Skipped});
    EXPECT_THAT(breaches(story), ElementsAre(Breach::OutOfOrder));
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

/// A worker that left with this exit code, after 60 s.
Story left_with(int exit_code, std::vector<Blow> blows = {}) {
    Story story;
    Life life = life_of(50, 60'000);
    life.ended = true;
    life.status = W_EXITCODE(exit_code, 0);
    life.blows = std::move(blows);
    story.findings.lives = {life};
    return story;
}

TEST(ChaosJudge, FindsAWorkerThatLeftByItselfWhateverItsExitCode) {
    for (const int code : {0, 1, 2, 3, 127}) {
        const auto complaints = judge(left_with(code).findings);
        ASSERT_THAT(complaints, SizeIs(1)) << code;
        EXPECT_EQ(complaints[0].breach, Breach::Crash);
        EXPECT_THAT(complaints[0].sentence, HasSubstr("left with exit code " + std::to_string(code) + " by itself"));
    }
}

TEST(ChaosJudge, ExpectsExitCodeZeroOfAWorkerThatWasAskedToLeave) {
    for (const int code : {0, 1, 2, 3}) {
        Story story = left_with(code, {{.kind = FaultKind::DrainWorker, .at = Story::at(55'000)}});
        story.findings.lives[0].was_asked_to_leave = true;
        EXPECT_EQ(breaches(story), code == 0 ? std::vector<Breach>{} : std::vector{Breach::Crash}) << code;
    }
}

TEST(ChaosJudge, ExcusesExitCodeOneOfAWorkerWithoutItsKeeper) {
    const std::vector<Blow> blows = {{.kind = FaultKind::KillKeeper, .at = Story::at(59'000)}};
    EXPECT_THAT(breaches(left_with(1, blows)), IsEmpty());
    EXPECT_THAT(breaches(left_with(3, blows)), ElementsAre(Breach::Crash));
    EXPECT_THAT(breaches(left_with(1, {{.kind = FaultKind::CutPath, .at = Story::at(59'000)}})),
                ElementsAre(Breach::Crash));
}

TEST(ChaosJudge, ExcusesExitCodeOneOfADrainedWorkerThatHasLongTriedToDeliver) {
    for (const int asked_at : {20'000, 55'000}) {
        Story story = left_with(1, {{.kind = FaultKind::DrainWorker, .at = Story::at(asked_at)}});
        story.findings.lives[0].was_asked_to_leave = true;
        EXPECT_EQ(breaches(story), asked_at == 20'000 ? std::vector<Breach>{} : std::vector{Breach::Crash});
    }
}

TEST(ChaosJudge, ExcusesExitCodeThreeOfAWorkerThatMetAFullDisk) {
    for (const int filled_at : {50'000, 58'000, 65'000}) {
        Story story = left_with(3);
        story.findings.blows = {
            {.kind = FaultKind::FillDisk, .at = Story::at(filled_at), .length = std::chrono::seconds(3)}};
        EXPECT_EQ(breaches(story), filled_at == 58'000 ? std::vector<Breach>{} : std::vector{Breach::Crash});
        story.findings.lives[0].status = W_EXITCODE(1, 0);
        EXPECT_THAT(breaches(story), ElementsAre(Breach::Crash));
    }
}

// ---- A history that was lost in part ------------------------------------------------------------------------------

/// The store has lost all that it committed from 0 s to 5 s.
Story lost_in_part() {
    Story story;
    story.findings.failovers = {
        {.kind = FaultKind::AsyncCut, .promoted_at = Story::at(5000), .lost_since = Story::at(0)}};
    return story;
}

Unavoidable unavoidable_in(const Story& story) {
    Unavoidable counted;
    (void)judge(story.findings, counted);
    return counted;
}

TEST(ChaosJudgeOfLostHistory, AllowsALostSubmitThatItsClientWasToldOf) {
    Story story = lost_in_part();
    story.findings.acknowledged_tasks.push_back({Story::id(1), Story::at(100)});
    story.findings.acknowledged_jobs.push_back({Story::id(2), Story::at(100)});
    EXPECT_THAT(breaches(story), ElementsAre(Breach::Untold, Breach::Untold));
    story.findings.told_lost = {Story::id(1), Story::id(2)};
    EXPECT_THAT(breaches(story), IsEmpty());
    EXPECT_EQ(unavoidable_in(story), (Unavoidable{.submits_told = 2}));
}

TEST(ChaosJudgeOfLostHistory, FindsASubmitThatWasLostAtAnotherTime) {
    Story story = lost_in_part();
    story.findings.told_lost = {Story::id(1)};
    story.findings.acknowledged_tasks.push_back({Story::id(1), Story::at(-1)});
    EXPECT_THAT(breaches(story), ElementsAre(Breach::Lost));
    story.findings.acknowledged_tasks[0].at = Story::at(30'000);
    EXPECT_THAT(breaches(story), ElementsAre(Breach::Lost));
}

TEST(ChaosJudgeOfLostHistory, AllowsRunsThatTheStoreHasForgottenAndCountsThoseThatFollow) {
    for (const bool is_lost : {true, false}) {
        Story story = is_lost ? lost_in_part() : Story();
        story.line(Mark::Begin, 1, 10);
        story.line(Mark::Done, 1, 10);
        story.completed(1, 50);          // again
        story.line(Mark::Begin, 2, 11);  // its task is gone
        if (is_lost) {
            EXPECT_THAT(breaches(story), IsEmpty());
        } else {
            EXPECT_THAT(breaches(story), ElementsAre(Breach::Difference, Breach::Difference));
        }
        EXPECT_EQ(unavoidable_in(story), (Unavoidable{.ran_again = is_lost ? 1U : 0U}));
    }
}

/// The later lease was given in the part that is lost; the worker of the earlier one lives, and runs its task.
TEST(ChaosJudgeOfLostHistory, AllowsAnEarlierLeaseAfterALaterOneThatTheStoreHasForgotten) {
    for (const bool is_forgotten : {true, false}) {
        Story story = lost_in_part();
        story.line(Mark::Begin, 1, 50);
        story.line(Mark::Done, 1, 50);
        TaskSeen& task = story.completed(1, 10);
        if (!is_forgotten) task.runs.insert(task.runs.begin(), {50, LeaseEnd::Failed, {}});
        const auto found = breaches(story);
        EXPECT_EQ(std::ranges::count(found, Breach::Difference), is_forgotten ? 0 : 1);
    }
}

TEST(ChaosJudgeOfLostHistory, CountsTwoAtOnceOnlyWhereOneRunWasForgotten) {
    for (const bool is_forgotten : {true, false}) {
        Story story = lost_in_part();
        story.line(Mark::Begin, 1, 10);
        story.line(Mark::Begin, 1, 50);
        story.line(Mark::Done, 1, 10);
        story.line(Mark::Done, 1, 50);
        TaskSeen& task = story.task(1, TaskState::Completed, 50, LeaseEnd::Completed);
        task.policy.on_crash = OnCrash::Requeue;
        if (!is_forgotten) task.runs.insert(task.runs.begin(), {10, LeaseEnd::Crashed, {}});
        if (is_forgotten) {
            EXPECT_THAT(breaches(story), IsEmpty());
            EXPECT_EQ(unavoidable_in(story).two_at_once, 1U);
        } else {
            EXPECT_THAT(breaches(story), testing::Contains(Breach::TwoAtOnce));
        }
    }
}

TEST(ChaosJudgeOfLostHistory, FindsARunAfterARunThatTheStoreStillKnows) {
    Story story = lost_in_part();
    story.line(Mark::Begin, 1, 10);
    TaskSeen& task = story.completed(1, 50);
    task.policy.on_crash = OnCrash::Fail;
    task.runs.insert(task.runs.begin(), {10, LeaseEnd::Crashed, Story::at(15)});
    EXPECT_THAT(breaches(story), ElementsAre(Breach::RanTwice));
}

TEST(ChaosJudgeOfLostHistory, FindsALeaseNumberOfTwoTasksWhateverWasLost) {
    for (Story story : {lost_in_part(), Story()}) {
        story.completed(1, 10);
        story.completed(2, 10);
        EXPECT_THAT(breaches(story), ElementsAre(Breach::LeaseTwice));
    }
}

TEST(ChaosJudgeOfLostHistory, FindsTheEndOfARunThatAnotherWorkerWrote) {
    Story story = lost_in_part();
    TaskSeen& task = story.completed(1, 10);
    for (LedgerLine& line : story.findings.ledger.lines) line.worker = Story::id(70);
    task.runs[0].worker = Story::id(70);
    EXPECT_THAT(breaches(story), IsEmpty());
    task.runs[0].worker = Story::id(71);
    EXPECT_THAT(breaches(story), ElementsAre(Breach::StaleWrite));
}

/// A run wrote its last line within the lost part, and the store has it as a crash.
Story lost_end(Mark mark) {
    Story story = lost_in_part();
    story.line(Mark::Begin, 1, 10);
    story.line(mark, 1, 10);
    for (LedgerLine& line : story.findings.ledger.lines) line.worker = Story::id(70);
    TaskSeen& task = story.task(1, TaskState::Failed, 10, LeaseEnd::Crashed);
    task.error_code = error_code::worker_crashed;
    task.policy.on_crash = OnCrash::Fail;
    story.findings.lives = {life_of(70, 60'000)};
    return story;
}

TEST(ChaosJudgeOfLostHistory, FindsALostEndThatALivingWorkerDidNotDeliverAgain) {
    for (const Mark mark : {Mark::Done, Mark::Failed})
        EXPECT_THAT(breaches(lost_end(mark)), ElementsAre(Breach::Undelivered));
    Story before = lost_end(Mark::Done);
    before.findings.failovers[0].lost_since = Story::at(1000);  // the end was committed before
    EXPECT_THAT(breaches(before), IsEmpty());
}

TEST(ChaosJudgeOfLostHistory, ExpectsNoDeliveryFromAWorkerOrRunnerThatWasHit) {
    Story dead = lost_end(Mark::Done);
    dead.findings.lives = {life_of(70, 4000)};
    EXPECT_THAT(breaches(dead), IsEmpty());
    Story stopped = lost_end(Mark::Done);
    stopped.findings.lives[0].blows = {
        {.kind = FaultKind::StopWorker, .at = Story::at(3000), .length = std::chrono::seconds(9)}};
    EXPECT_THAT(breaches(stopped), IsEmpty());
    Story without_runner = lost_end(Mark::Done);
    without_runner.findings.blows = {{.kind = FaultKind::KillRunner, .at = Story::at(25), .pid = 100}};
    EXPECT_THAT(breaches(without_runner), IsEmpty());
}

TEST(ChaosJudge, AllowsAProcessToRefuseTwoPrimariesOnlyWhileThereAreTwo) {
    Story story;
    Life life = life_of(70, 3000);
    life.ended = true;
    life.status = 3 << 8;
    story.findings.lives = {life};
    EXPECT_THAT(breaches(story), ElementsAre(Breach::Crash));
    story.findings.blows = {
        {.kind = FaultKind::ZombiePrimary, .at = Story::at(2000), .length = std::chrono::seconds(4)}};
    EXPECT_THAT(breaches(story), IsEmpty());
    story.findings.blows[0].at = Story::at(20'000);
    EXPECT_THAT(breaches(story), ElementsAre(Breach::Crash));
}

}  // namespace
}  // namespace holdfast::chaos
