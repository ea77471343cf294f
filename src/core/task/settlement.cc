#include "core/task/settlement.h"

#include <algorithm>
#include <cmath>

#include "base/assert.h"
#include "base/text.h"

namespace holdfast::core {

namespace {

using namespace std::chrono_literals;

bool is_retryable(const RetryPolicy& policy, const std::string& code) {
    if (!why_never_retried(code).empty()) return false;
    return policy.retry_on.empty() || std::ranges::count(policy.retry_on, code) > 0;
}

History after(const EndedLease& lease) {
    History history = lease.history;
    if (lease.end == LeaseEnd::NotStarted) {
        ++history.requeues;
        return history;
    }
    history.requeues = 0;
    if (lease.end == LeaseEnd::Completed || lease.end == LeaseEnd::Failed) ++history.attempts;
    if (lease.end == LeaseEnd::Crashed) ++history.crashes;
    return history;
}

TaskState state_before(LeaseEnd end) {
    return end == LeaseEnd::NotStarted ? TaskState::Claimed : TaskState::Running;
}

TaskError cancelled_error(const TaskError& of_the_run) {
    const std::string how_it_ended =
        of_the_run.code.empty() || of_the_run.code == error_code::task_cancelled
            ? std::string()
            : concat("; its last run had ended with ", of_the_run.code, ": ", of_the_run.message);
    return {std::string(error_code::task_cancelled), concat("The task was cancelled on request", how_it_ended),
            of_the_run.data};
}

TaskError poison_error(const TaskError& last_crash, const History& history, const TaskPolicy& policy) {
    return {std::string(error_code::poison_task),
            concat("The task's run was cut short ", history.crashes, history.crashes == 1 ? " time" : " times",
                   "; max_crashes allows ", policy.max_crashes, ". The last time: ", last_crash.message),
            last_crash.data};
}

Settlement pending(TaskEvent event, Duration delay, const History& history) {
    return {TaskState::Pending, event, delay, history, std::nullopt};
}

Settlement failed(TaskError error, const History& history) {
    return {TaskState::Failed, TaskEvent::Fail, 0s, history, std::move(error)};
}

Settlement cancelled(const EndedLease& lease, const History& history) {
    return {TaskState::Cancelled, TaskEvent::Cancel, 0s, history, cancelled_error(lease.error)};
}

Settlement after_failure(const EndedLease& lease, const RetryPolicy& policy, const History& history) {
    if (history.attempts >= policy.max_attempts || !is_retryable(policy, lease.error.code))
        return failed(lease.error, history);
    const Duration delay = retry_delay(policy, history.attempts, lease.jitter);
    const bool too_late = lease.deadline && lease.now + delay >= *lease.deadline;
    return too_late ? failed(lease.error, history) : pending(TaskEvent::Retry, delay, history);
}

Settlement after_crash(const EndedLease& lease, const TaskPolicy& policy, const History& history) {
    if (policy.on_crash == OnCrash::Fail) return failed(lease.error, history);
    if (history.crashes > policy.max_crashes) return failed(poison_error(lease.error, history, policy), history);
    return pending(TaskEvent::Retry, requeue_delay(history.crashes), history);
}

Settlement after_stop(const EndedLease& lease, const TaskPolicy& policy, const History& history) {
    if (policy.on_crash == OnCrash::Fail) return failed(lease.error, history);
    return pending(TaskEvent::Retry, 0s, history);
}

/// The settlement by the policy alone, without regard to a requested cancel.
Settlement by_policy(const EndedLease& lease, const TaskPolicy& policy, const History& history) {
    switch (lease.end) {
        case LeaseEnd::Completed:
            return {TaskState::Completed, TaskEvent::Complete, 0s, history, std::nullopt};
        case LeaseEnd::Failed:
            return after_failure(lease, policy.retry, history);
        case LeaseEnd::Crashed:
            return after_crash(lease, policy, history);
        case LeaseEnd::Stopped:
            return after_stop(lease, policy, history);
        case LeaseEnd::StoppedCleanly:
            return pending(TaskEvent::Retry, 0s, history);
        case LeaseEnd::Cancelled:
            return cancelled(lease, history);
        case LeaseEnd::NotStarted:
            return pending(TaskEvent::Requeue, requeue_delay(history.requeues), history);
    }
    HOLDFAST_ASSERT(false);
}

Duration unjittered_delay(const RetryPolicy& policy, int retry_number) {
    const int retries_before = std::max(retry_number - 1, 0);
    const auto index = static_cast<std::size_t>(retries_before);
    if (!policy.delays.empty()) return policy.delays[std::min(index, policy.delays.size() - 1)];
    if (policy.base >= policy.cap) return policy.cap;
    const double grown = static_cast<double>(policy.base.count()) * std::pow(policy.factor, retries_before);
    // Also when it has grown to infinity, or to NaN from a base of zero.
    if (grown >= static_cast<double>(policy.cap.count())) return policy.cap;
    return std::isnan(grown) ? policy.base : Duration(std::llround(grown));
}

}  // namespace

Settlement settle(const EndedLease& lease, const TaskPolicy& policy) {
    const History history = after(lease);
    Settlement settlement = by_policy(lease, policy, history);
    const bool was_cut_short = lease.end == LeaseEnd::Crashed || lease.end == LeaseEnd::Stopped;
    const bool yields_to_cancel = settlement.state == TaskState::Pending || was_cut_short;
    const bool ends_here = lease.is_final && lease.end != LeaseEnd::NotStarted;
    if (lease.cancel_requested && yields_to_cancel) {
        settlement = cancelled(lease, history);
    } else if (ends_here && settlement.state == TaskState::Pending) {
        settlement = failed(lease.error, history);
    }
    HOLDFAST_ASSERT(next_state(state_before(lease.end), settlement.event) == settlement.state);
    return settlement;
}

std::string_view why_never_retried(std::string_view code) {
    if (code == error_code::worker_crashed) return "write on_crash: requeue to run the task again after a crash";
    if (code == error_code::args_not_readable) return "the same arguments would not be readable the next time either";
    return {};
}

Duration retry_delay(const RetryPolicy& policy, int retry_number, double jitter) {
    const Duration delay = unjittered_delay(policy, retry_number);
    const double shift = policy.jitter * (2 * jitter - 1);
    return delay + Duration(std::llround(static_cast<double>(delay.count()) * shift));
}

Duration requeue_delay(int number) {
    if (number <= 1) return 0s;
    const int doublings = std::min(number - 2, 6);
    return std::min<Duration>(1s * (1 << doublings), 60s);
}

}  // namespace holdfast::core
