#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/states.h"
#include "holdfast/task.h"

namespace holdfast::core {

/// How a lease ended, as its worker or an observer reports it.
enum class LeaseEnd {
    Completed,       ///< the run returned a value
    Failed,          ///< the run returned an error, threw, or timed out: the retry policy decides
    Crashed,         ///< the run was cut short by a death: on_crash decides, on a budget of its own
    Stopped,         ///< stopped on purpose (fence, drain): on_crash decides, and it costs no budget
    StoppedCleanly,  ///< stopped for a drain, and the run reported a clean stop: always requeued, costs nothing
    Cancelled,       ///< stopped because a cancel was requested
    NotStarted,      ///< handed back or taken back before its start: always requeued, costs nothing
};
constexpr auto words_of(LeaseEnd) {
    using enum LeaseEnd;
    return words<LeaseEnd>({{Completed, "COMPLETED"},
                            {Failed, "FAILED"},
                            {Crashed, "CRASHED"},
                            {Stopped, "STOPPED"},
                            {StoppedCleanly, "STOPPED_CLEANLY"},
                            {Cancelled, "CANCELLED"},
                            {NotStarted, "NOT_STARTED"}});
}

/// What has happened to a task so far, kept from one lease to the next.
struct History {
    int attempts = 0;  ///< runs that ended by themselves
    int crashes = 0;   ///< runs that were cut short
    int requeues = 0;  ///< leases that ended before their start, since the last run

    /// The number shown to people for the next run (or the one under way).
    [[nodiscard]] int next_attempt_number() const { return attempts + crashes + 1; }

    friend bool operator==(const History&, const History&) = default;
};

/// Everything the decision depends on.
struct EndedLease {
    LeaseEnd end;
    TaskError error;  ///< of Failed, Crashed, Stopped and StoppedCleanly
    History history;  ///< before this lease
    bool cancel_requested = false;
    Timestamp now;
    std::optional<Timestamp> deadline;
    double jitter = 0.5;    ///< drawn by the caller from [0, 1); 0.5 is the middle, no shift
    bool is_final = false;  ///< the run may go on where it cannot be stopped: it is not run again (P7)
};

/// What happens to the task. `state` is Pending or terminal.
struct Settlement {
    TaskState state;
    TaskEvent event;                 ///< the transition to `state`
    Duration delay{};                ///< of Pending: not claimable for this long
    History history;                 ///< after this lease
    std::optional<TaskError> error;  ///< of Failed and Cancelled
};

/// Decides, for both stores and for the simulator, what the end of a lease does to its task.
/// - Failed: Pending again while attempts + 1 < max_attempts, the code matches retry_on, and the retry would
///   come before the deadline. A code that why_never_retried() knows is not retried.
/// - Crashed: Pending again when on_crash is Requeue and crashes + 1 <= max_crashes; beyond that FAILED with
///   POISON_TASK; FAILED with the given error when on_crash is Fail.
/// - Stopped: Pending again when on_crash is Requeue, else FAILED with the given error; no budget is touched.
/// - StoppedCleanly: always Pending, at once; no budget is touched.
/// - NotStarted: always Pending.
/// - With is_final a task is FAILED where it would be Pending after a run.
/// - A requested cancel turns every Pending, and the FAILED of a run that was cut short (Crashed, Stopped), into
///   CANCELLED, because no worker is left to confirm it. It does not change other outcomes.
/// The history counts an attempt for Completed and Failed, a crash for Crashed, a requeue for NotStarted; every end
/// of a run sets the requeues back to 0.
[[nodiscard]] Settlement settle(const EndedLease& lease, const TaskPolicy& policy);

/// Why no policy retries a failure with this code, to follow "retry_on cannot name CODE: "; empty: retry_on decides.
[[nodiscard]] std::string_view why_never_retried(std::string_view code);

/// How long the n-th retry (1-based) waits: list or exponential with cap, then the jitter draw.
[[nodiscard]] Duration retry_delay(const RetryPolicy& policy, int retry_number, double jitter);

/// How long a task waits after its n-th requeue without a start, or its n-th crash (1-based): 0, then 1 s doubling to
/// 60 s.
[[nodiscard]] Duration requeue_delay(int number);

}  // namespace holdfast::core
