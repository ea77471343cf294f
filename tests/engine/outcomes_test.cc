#include "engine/worker/outcomes.h"

#include <gmock/gmock.h>

#include "tests/engine/worker_harness.h"

namespace holdfast::engine::testing {
namespace {

using core::LeaseEnd;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

enum class Way { Returned, Threw, Failed };

Run run_with(std::optional<StopCause> cause) {
    Run run;
    run.claimed = started_task(10);
    run.timeout = seconds(7);
    if (cause) run.stop = Stop{.cause = *cause, .out_of_time = *cause == StopCause::Timeout};
    return run;
}

RunEnded ended(Way way, bool saw_stop) {
    RunEnded end{.runner = 1, .lease = 10, .completed = way == Way::Returned, .saw_stop = saw_stop};
    end.threw_stop = way == Way::Threw;
    if (way == Way::Returned) end.result = "17";
    if (way == Way::Failed) end.error = {"DISK_FULL", "no space left", R"({"free":0})"};
    if (way == Way::Threw) end.error = {"TASK_EXCEPTION", "holdfast::Stopped: nobody had asked", ""};
    return end;
}

/// The rules, said a second time.
LeaseEnd promised(std::optional<StopCause> cause, Way way, bool saw_stop) {
    if (!cause) return way == Way::Returned ? LeaseEnd::Completed : LeaseEnd::Failed;
    if (*cause == StopCause::Timeout) return LeaseEnd::Failed;
    if (way != Way::Threw && !saw_stop) return way == Way::Returned ? LeaseEnd::Completed : LeaseEnd::Failed;
    if (*cause == StopCause::Cancel) return LeaseEnd::Cancelled;
    return way == Way::Threw && *cause == StopCause::Drain ? LeaseEnd::StoppedCleanly : LeaseEnd::Stopped;
}

std::string promised_code(std::optional<StopCause> cause, Way way, LeaseEnd end) {
    if (end == LeaseEnd::Completed) return "";
    const std::string own = way == Way::Failed ? "DISK_FULL" : "TASK_EXCEPTION";
    if (end == LeaseEnd::Failed) return cause == StopCause::Timeout ? "TASK_TIMEOUT" : own;
    if (end == LeaseEnd::Cancelled) return way == Way::Failed ? own : "TASK_CANCELLED";
    return cause == StopCause::Drain ? "WORKER_DRAINED" : "FENCED";
}

TEST(Outcomes, EveryWayToEndAfterEveryStopKeepsTheContract) {
    const std::vector<std::optional<StopCause>> causes = {std::nullopt, StopCause::Drain, StopCause::Timeout,
                                                          StopCause::Cancel, StopCause::Fence};
    for (const auto& cause : causes)
        for (const Way way : {Way::Returned, Way::Threw, Way::Failed})
            for (const bool saw_stop : {false, true}) {
                if (!cause && saw_stop) continue;
                const store::FinishedRun outcome = outcome_of_end(run_with(cause), ended(way, saw_stop), {});
                SCOPED_TRACE(::testing::Message() << "cause " << (cause ? static_cast<int>(*cause) : -1) << ", way "
                                                  << static_cast<int>(way) << ", saw " << saw_stop);
                const LeaseEnd end = promised(cause, way, saw_stop);
                EXPECT_EQ(word_of(outcome.end), word_of(end));
                EXPECT_EQ(outcome.error.code, promised_code(cause, way, end));
                const bool is_kept = way == Way::Returned && end != LeaseEnd::Completed;
                EXPECT_EQ(outcome.result, end == LeaseEnd::Completed ? "17" : "");
                EXPECT_EQ(outcome.error.data == R"({"returned":17})", is_kept);
            }
}

TEST(Outcomes, NothingThatComesAfterTheTimeoutCountsWhateverFollowsTheTimeout) {
    for (const StopCause cause : {StopCause::Cancel, StopCause::Fence})
        for (const Way way : {Way::Returned, Way::Threw, Way::Failed})
            for (const bool saw_stop : {false, true}) {
                engine::Run run = run_with(cause);
                run.stop->out_of_time = true;
                EXPECT_EQ(word_of(outcome_of_end(run, ended(way, saw_stop), {}).end),
                          word_of(promised(cause, way, true)));
            }
}

TEST(Outcomes, AValueAfterALostLeaseIsOfferedSoThatItsRefusalIsOnRecord) {
    for (const bool saw_stop : {false, true})
        EXPECT_EQ(outcome_of_end(run_with(StopCause::LeaseLost), ended(Way::Returned, saw_stop), {}).end,
                  LeaseEnd::Completed);
}

TEST(Outcomes, AFailureAfterTheStopIsToldBesideIt) {
    const auto outcome = outcome_of_end(run_with(StopCause::Drain), ended(Way::Failed, true), {});
    EXPECT_THAT(outcome.error.message,
                AllOf(HasSubstr("did not end within 30s"), HasSubstr("DISK_FULL: no space left")));
    EXPECT_EQ(outcome.error.data, R"({"free":0})");
}

TEST(Outcomes, ADrainThatWasHurriedSaysSoInsteadOfNamingAGraceThatHadNotPassed) {
    engine::Run run = run_with(StopCause::Drain);
    run.stop->hurried_by = "SIGINT was received";
    for (const auto& outcome :
         {outcome_of_stop(run, StopCause::Drain, {}), outcome_of_death(run, RunnerGone{1, "killed"}, {}),
          outcome_of_end(run, ended(Way::Returned, true), {})})
        EXPECT_THAT(outcome.error.message, AllOf(HasSubstr("asked a second time to shut down (SIGINT was received)"),
                                                 Not(HasSubstr("30s"))));
}

}  // namespace
}  // namespace holdfast::engine::testing
