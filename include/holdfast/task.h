#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/time.h"
#include "holdfast/uuid.h"

namespace holdfast {

/// Where a task is in its life. The last four are terminal and never change.
enum class TaskState { Pending, Claimed, Running, Completed, Failed, Cancelled, Expired };

[[nodiscard]] std::string_view to_text(TaskState state);  ///< "PENDING", ...
[[nodiscard]] std::optional<TaskState> parse_task_state(std::string_view text);
[[nodiscard]] bool is_terminal(TaskState state);

/// The codes that Holdfast itself gives to errors. Tasks may return any code of their own.
namespace error_code {
inline constexpr std::string_view worker_crashed = "WORKER_CRASHED";
inline constexpr std::string_view worker_drained = "WORKER_DRAINED";
inline constexpr std::string_view poison_task = "POISON_TASK";
inline constexpr std::string_view task_timeout = "TASK_TIMEOUT";
inline constexpr std::string_view task_cancelled = "TASK_CANCELLED";
inline constexpr std::string_view task_expired = "TASK_EXPIRED";
inline constexpr std::string_view script_failed = "SCRIPT_FAILED";
inline constexpr std::string_view task_exception = "TASK_EXCEPTION";
inline constexpr std::string_view args_not_readable = "ARGS_NOT_READABLE";
inline constexpr std::string_view result_not_available = "RESULT_NOT_AVAILABLE";
inline constexpr std::string_view result_not_storable = "RESULT_NOT_STORABLE";
inline constexpr std::string_view result_too_large = "RESULT_TOO_LARGE";
inline constexpr std::string_view result_not_readable = "RESULT_NOT_READABLE";
inline constexpr std::string_view fenced = "FENCED";
inline constexpr std::string_view no_matching_worker = "NO_MATCHING_WORKER";
inline constexpr std::string_view upstream_skipped = "UPSTREAM_SKIPPED";
inline constexpr std::string_view upstream_failed = "UPSTREAM_FAILED";
inline constexpr std::string_view forced = "FORCED";
inline constexpr std::string_view payload_mismatch = "PAYLOAD_MISMATCH";
}  // namespace error_code

/// Why a task failed: a code to branch on, a sentence to read, and JSON text to look into (may be empty).
struct TaskError {
    std::string code;
    std::string message;
    std::string data;

    friend bool operator==(const TaskError&, const TaskError&) = default;
};

/// What to do when a task's run was cut short by the death of its worker or runner.
enum class OnCrash { Fail, Requeue };

/// What a worker that cannot reach the store does with the task. Auto: stop it if another worker could get it
/// (on_crash: requeue, or a concurrency key), otherwise let it continue.
enum class Fence { Auto, Stop, Continue };

/// What happens to a task that no worker can run. Auto, for steps of jobs: by `recovery.unmatched_steps`; a task
/// outside a job waits.
enum class Unmatched { Wait, Fail, Auto };

/// When a failed attempt is followed by another one.
/// The n-th retry waits delays[n-1] (the last one again when the list is shorter) or, when the list is
/// empty, base * factor^(n-1), at most cap; then +-jitter of that.
struct RetryPolicy {
    int max_attempts = 1;  ///< all attempts together, 1..1000; 1 means no retry
    std::vector<Duration> delays = {};
    Duration base = std::chrono::seconds(1);
    double factor = 2.0;
    Duration cap = std::chrono::minutes(5);
    double jitter = 0.0;  ///< 0..1
    /// Error codes; empty: every code. WORKER_CRASHED (on_crash decides) and ARGS_NOT_READABLE are never retried, and
    /// refused here.
    std::vector<std::string> retry_on = {};

    friend bool operator==(const RetryPolicy&, const RetryPolicy&) = default;
};

/// How a task is to be treated once accepted. Part of what a second submit with the same id must repeat.
struct TaskPolicy {
    RetryPolicy retry = {};
    OnCrash on_crash = OnCrash::Fail;
    int max_crashes = 3;                   ///< how often on_crash: requeue may run it again
    std::optional<Duration> timeout = {};  ///< of one attempt; unset: the worker's default
    Fence fence = Fence::Auto;
    Unmatched unmatched = Unmatched::Wait;

    friend bool operator==(const TaskPolicy&, const TaskPolicy&) = default;
};

/// At most `limit` tasks of a queue with the same key are CLAIMED or RUNNING at once. An operator can declare a key:
/// then its limit is fixed, and it may be shared by all queues. Otherwise the first submit sets the limit; while
/// tasks with the key have not ended, later submits can lower it, and cannot raise it.
struct ConcurrencyKey {
    std::string key;
    int limit = 1;

    friend bool operator==(const ConcurrencyKey&, const ConcurrencyKey&) = default;
};

/// Everything about a submit beside the task's name and arguments.
struct SubmitOptions {
    Uuid id = {};  ///< nil: a fresh UUIDv7. Submitting again with the same id and payload returns the first task
    std::string queue = "default";
    int priority = 50;  ///< 1..100, lower first
    std::vector<std::string> tags = {};
    std::optional<Timestamp> run_at = {};    ///< not before; unset: now
    std::optional<Timestamp> deadline = {};  ///< EXPIRED when not started by then
    std::optional<ConcurrencyKey> concurrency = {};
    std::string idempotency_key = {};  ///< empty: none
    TaskPolicy policy = {};
    std::string traceparent = {};  ///< W3C trace context, handed to the run; empty: none

    friend bool operator==(const SubmitOptions&, const SubmitOptions&) = default;
};

}  // namespace holdfast
