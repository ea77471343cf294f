#include "core/task/settlement.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;

const Timestamp decided_at = std::chrono::sys_days(std::chrono::year(2026) / 11 / 15);
const TaskError user_error{"DISK_FULL", "no space left", R"({"free":0})"};

EndedLease ended(LeaseEnd end, TaskError error = {}) {
    EndedLease lease;
    lease.end = end;
    lease.error = std::move(error);
    lease.now = decided_at;
    return lease;
}

TaskPolicy retrying(int max_attempts) {
    TaskPolicy policy;
    policy.retry.max_attempts = max_attempts;
    policy.retry.delays = {10s, 20s};
    return policy;
}

TEST(Settlement, AFailedAttemptIsRetriedUntilTheAttemptsAreUsedUp) {
    EndedLease lease = ended(LeaseEnd::Failed, user_error);
    for (int before = 0; before < 3; ++before) {
        lease.history.attempts = before;
        const Settlement settlement = settle(lease, retrying(3));
        EXPECT_EQ(settlement.state, before < 2 ? TaskState::Pending : TaskState::Failed);
        EXPECT_EQ(settlement.history.attempts, before + 1);
    }
}

TEST(Settlement, AFailureKeepsTheTasksOwnError) {
    EXPECT_EQ(settle(ended(LeaseEnd::Failed, user_error), {}).error, user_error);
}

TEST(Settlement, CrashesHaveABudgetOfTheirOwn) {
    TaskPolicy policy = retrying(1);
    policy.on_crash = OnCrash::Requeue;
    policy.max_crashes = 2;
    EndedLease lease = ended(LeaseEnd::Crashed, {"WORKER_CRASHED", "worker exited", ""});
    lease.history = {7, 1, 4};
    const Settlement again = settle(lease, policy);
    EXPECT_EQ(again.state, TaskState::Pending);
    EXPECT_EQ(again.history, (History{7, 2, 0}));

    lease.history.crashes = 2;
    const Settlement poison = settle(lease, policy);
    EXPECT_EQ(poison.state, TaskState::Failed);
    ASSERT_TRUE(poison.error);
    EXPECT_EQ(poison.error->code, "POISON_TASK");
    EXPECT_EQ(poison.error->message,
              "The task's run was cut short 3 times; max_crashes allows 2. The last time: worker exited");
}

TEST(Settlement, AStopOnPurposeCostsNeitherAnAttemptNorACrash) {
    TaskPolicy policy;
    policy.on_crash = OnCrash::Requeue;
    policy.max_crashes = 0;
    EndedLease lease = ended(LeaseEnd::Stopped, {"FENCED", "lost touch with the store", ""});
    lease.history = {0, 0, 3};
    const Settlement settlement = settle(lease, policy);
    EXPECT_EQ(settlement.state, TaskState::Pending);
    EXPECT_EQ(settlement.delay, 0s);
    EXPECT_EQ(settlement.history, (History{0, 0, 0}));
}

TEST(Settlement, ACleanStopIsRequeuedAtOnceWhateverOnCrashSaysAndCostsNothing) {
    for (const OnCrash on_crash : {OnCrash::Fail, OnCrash::Requeue}) {
        TaskPolicy policy;
        policy.on_crash = on_crash;
        policy.max_crashes = 0;
        EndedLease lease = ended(LeaseEnd::StoppedCleanly, {"WORKER_DRAINED", "its worker was shut down", ""});
        lease.history = {5, 6, 7};
        const Settlement settlement = settle(lease, policy);
        EXPECT_EQ(settlement.state, TaskState::Pending);
        EXPECT_EQ(settlement.delay, 0s);
        EXPECT_EQ(settlement.history, (History{5, 6, 0}));
    }
}

TEST(Settlement, ALeaseThatNeverStartedIsRequeuedHoweverOften) {
    EndedLease lease = ended(LeaseEnd::NotStarted);
    lease.history = {3, 3, 1'000'000};
    const Settlement settlement = settle(lease, {});
    EXPECT_EQ(settlement.state, TaskState::Pending);
    EXPECT_EQ(settlement.event, TaskEvent::Requeue);
    EXPECT_EQ(settlement.delay, 60s);
    EXPECT_EQ(settlement.history, (History{3, 3, 1'000'001}));
}

TEST(Settlement, ACancelledTasksErrorTellsHowItsLastRunEnded) {
    TaskPolicy policy = retrying(2);
    EndedLease lease = ended(LeaseEnd::Failed, user_error);
    lease.cancel_requested = true;
    const Settlement settlement = settle(lease, policy);
    EXPECT_EQ(settlement.state, TaskState::Cancelled);
    EXPECT_EQ(settlement.error,
              (TaskError{"TASK_CANCELLED",
                         "The task was cancelled on request; its last run had ended with DISK_FULL: "
                         "no space left",
                         R"({"free":0})"}));
    EXPECT_EQ(settle(ended(LeaseEnd::Cancelled), policy).error,
              (TaskError{"TASK_CANCELLED", "The task was cancelled on request", ""}));
}

TEST(Settlement, ARequestedCancelDoesNotTakeBackAResult) {
    EndedLease lease = ended(LeaseEnd::Completed);
    lease.cancel_requested = true;
    EXPECT_EQ(settle(lease, {}).state, TaskState::Completed);
}

TEST(Settlement, WhatIsFinalIsNotRunAgainAfterARun) {
    TaskPolicy policy;
    policy.retry.max_attempts = 3;
    policy.on_crash = OnCrash::Requeue;
    for (const LeaseEnd end : {LeaseEnd::Failed, LeaseEnd::Crashed, LeaseEnd::Stopped}) {
        EndedLease lease = ended(end);
        ASSERT_EQ(settle(lease, policy).state, TaskState::Pending) << word_of(end);
        lease.is_final = true;
        EXPECT_EQ(settle(lease, policy).state, TaskState::Failed) << word_of(end);
        EXPECT_EQ(settle(lease, policy).error->code, lease.error.code);
        lease.cancel_requested = true;
        EXPECT_EQ(settle(lease, policy).state, TaskState::Cancelled) << word_of(end);
    }
    EndedLease lease = ended(LeaseEnd::NotStarted);
    lease.is_final = true;
    EXPECT_EQ(settle(lease, policy).state, TaskState::Pending) << "it has no run";
}

// ---- Every combination, against the contract told a second time ---------------------------------

/// What the contract promises about one combination. Delays are read off the policy of retrying(): 10 s, then 20 s.
struct Promise {
    TaskState state;
    std::string code;  // of the error; empty: none
    Duration delay{};
};

Promise ends_for_good(const EndedLease& lease) {
    return {TaskState::Failed, lease.error.code, 0s};
}

Promise promised_failure(const EndedLease& lease, const TaskPolicy& policy) {
    const bool was_last = lease.history.attempts + 1 >= policy.retry.max_attempts;
    bool listed = policy.retry.retry_on.empty();
    for (const auto& code : policy.retry.retry_on) listed |= code == lease.error.code;
    const bool never = lease.error.code == "WORKER_CRASHED" || lease.error.code == "ARGS_NOT_READABLE";
    if (was_last || !listed || never) return ends_for_good(lease);
    const Duration delay = lease.history.attempts == 0 ? 10s : 20s;
    if (lease.deadline && *lease.deadline - lease.now <= delay) return ends_for_good(lease);
    return {TaskState::Pending, "", delay};
}

Promise promised_by_policy(const EndedLease& lease, const TaskPolicy& policy) {
    const bool requeues = policy.on_crash == OnCrash::Requeue;
    switch (lease.end) {
        case LeaseEnd::Completed:
            return {TaskState::Completed, "", 0s};
        case LeaseEnd::Cancelled:
            return {TaskState::Cancelled, "TASK_CANCELLED", 0s};
        case LeaseEnd::NotStarted: {
            constexpr Duration delays[] = {0s, 1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s};
            return {TaskState::Pending, "", delays[lease.history.requeues]};
        }
        case LeaseEnd::StoppedCleanly:
            return {TaskState::Pending, "", 0s};
        case LeaseEnd::Stopped:
            return requeues ? Promise{TaskState::Pending, "", 0s} : ends_for_good(lease);
        case LeaseEnd::Crashed: {
            constexpr Duration delays[] = {0s, 1s, 2s, 4s, 8s};
            if (!requeues) return ends_for_good(lease);
            if (lease.history.crashes >= policy.max_crashes) return {TaskState::Failed, "POISON_TASK", 0s};
            return {TaskState::Pending, "", delays[lease.history.crashes]};
        }
        case LeaseEnd::Failed:
            return promised_failure(lease, policy);
    }
    ADD_FAILURE();
    return {};
}

Promise promised(const EndedLease& lease, const TaskPolicy& policy) {
    Promise promise = promised_by_policy(lease, policy);
    const bool was_cut_short = lease.end == LeaseEnd::Crashed || lease.end == LeaseEnd::Stopped;
    if (lease.cancel_requested && (promise.state == TaskState::Pending || was_cut_short))
        return {TaskState::Cancelled, "TASK_CANCELLED", 0s};
    return promise;
}

std::string describe(const EndedLease& lease, const TaskPolicy& policy) {
    return concat(word_of(lease.end), " code ", lease.error.code, ", history ", lease.history.attempts, "/",
                  lease.history.crashes, "/", lease.history.requeues, ", cancel ", lease.cancel_requested,
                  ", deadline ", lease.deadline ? format_duration(*lease.deadline - decided_at) : "none",
                  "; max_attempts ", policy.retry.max_attempts, ", retry_on ", join(policy.retry.retry_on, ","),
                  ", requeue ", policy.on_crash == OnCrash::Requeue, ", max_crashes ", policy.max_crashes);
}

void expect_promise_kept(const EndedLease& lease, const TaskPolicy& policy) {
    const Settlement settlement = settle(lease, policy);
    const Promise promise = promised(lease, policy);
    const TaskState from = lease.end == LeaseEnd::NotStarted ? TaskState::Claimed : TaskState::Running;
    const bool kept = settlement.state == promise.state && settlement.delay == promise.delay &&
                      (settlement.error ? settlement.error->code : "") == promise.code &&
                      next_state(from, settlement.event) == settlement.state;
    ASSERT_TRUE(kept) << describe(lease, policy) << "\n  gave " << to_text(settlement.state) << " by "
                      << word_of(settlement.event) << " after " << format_duration(settlement.delay) << " with "
                      << (settlement.error ? settlement.error->code : "no error") << "; promised "
                      << to_text(promise.state) << " after " << format_duration(promise.delay) << " " << promise.code;
    const int runs = lease.end == LeaseEnd::Completed || lease.end == LeaseEnd::Failed ? 1 : 0;
    const int crashes = lease.end == LeaseEnd::Crashed ? 1 : 0;
    const int requeues = lease.end == LeaseEnd::NotStarted ? lease.history.requeues + 1 : 0;
    ASSERT_EQ(settlement.history, (History{lease.history.attempts + runs, lease.history.crashes + crashes, requeues}))
        << describe(lease, policy);
}

std::vector<TaskPolicy> every_policy() {
    std::vector<TaskPolicy> policies;
    for (const int max_attempts : {1, 2, 4})
        for (const auto& retry_on : std::vector<std::vector<std::string>>{
                 {}, {"DISK_FULL"}, {"OTHER", "DISK_FULL"}, {"OTHER"}, {"WORKER_CRASHED"}, {"ARGS_NOT_READABLE"}})
            for (const OnCrash on_crash : {OnCrash::Fail, OnCrash::Requeue})
                for (const int max_crashes : {0, 1, 3}) {
                    TaskPolicy policy = retrying(max_attempts);
                    policy.retry.retry_on = retry_on;
                    policy.on_crash = on_crash;
                    policy.max_crashes = max_crashes;
                    policies.push_back(policy);
                }
    return policies;
}

std::vector<History> every_history() {
    std::vector<History> histories;
    for (const int attempts : {0, 1, 3, 4})
        for (const int crashes : {0, 1, 3, 4})
            for (const int requeues : {0, 1, 7, 8}) histories.push_back({attempts, crashes, requeues});
    return histories;
}

/// None, long past, and just before, at and just after each instant at which a retry could come.
std::vector<std::optional<Timestamp>> every_deadline() {
    std::vector<std::optional<Timestamp>> deadlines{std::nullopt, decided_at - 1h};
    for (const Duration delay : {10s, 20s})
        for (const Duration edge : {-1us, 0us, 1us}) deadlines.emplace_back(decided_at + delay + edge);
    return deadlines;
}

TEST(Settlement, EveryEndUnderEveryPolicyHistoryCancelAndDeadlineKeepsTheContract) {
    const auto policies = every_policy();
    const auto histories = every_history();
    const auto deadlines = every_deadline();
    for (const LeaseEnd end : {LeaseEnd::Completed, LeaseEnd::Failed, LeaseEnd::Crashed, LeaseEnd::Stopped,
                               LeaseEnd::StoppedCleanly, LeaseEnd::Cancelled, LeaseEnd::NotStarted})
        for (const char* code : {"DISK_FULL", "WORKER_CRASHED", "ARGS_NOT_READABLE"})
            for (const bool cancel : {false, true})
                for (const auto& deadline : deadlines)
                    for (const History& history : histories) {
                        EndedLease lease = ended(end, {code, "message", ""});
                        lease.cancel_requested = cancel;
                        lease.deadline = deadline;
                        lease.history = history;
                        for (const TaskPolicy& policy : policies)
                            ASSERT_NO_FATAL_FAILURE(expect_promise_kept(lease, policy));
                    }
}

}  // namespace
}  // namespace holdfast::core
