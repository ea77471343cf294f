#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/task.h"
#include "holdfast/time.h"
#include "holdfast/uuid.h"

namespace holdfast {

/// Why a PENDING task cannot be claimed by any worker.
enum class WaitReason {
    None,     ///< it can be claimed
    Future,   ///< its run_at, or its retry's, has not come
    Key,      ///< its concurrency key is full
    Overdue,  ///< its deadline has passed; about to be EXPIRED
    Job,      ///< its job is paused
};
[[nodiscard]] std::string_view to_text(WaitReason reason);  ///< "", "future", "key", "overdue", "job"

/// The last progress that a run reported.
struct Progress {
    double fraction = 0;  ///< 0..1
    std::string text;
    Timestamp at;

    friend bool operator==(const Progress&, const Progress&) = default;
};

/// A task as it stood when it was read.
struct TaskInfo {
    Uuid id;
    std::string name;
    std::string args;  ///< JSON text, as it was submitted
    std::string queue;
    std::vector<std::string> tags;  ///< all that it requires, "task:<name>" included
    int priority = 50;
    std::optional<Timestamp> run_at;  ///< as it stands now, moved by retries
    std::optional<Timestamp> deadline;
    std::optional<ConcurrencyKey> concurrency;
    std::string idempotency_key;  ///< empty: none
    TaskPolicy policy;
    Uuid retry_of;            ///< nil: it is not a retry
    std::string traceparent;  ///< W3C trace context of the submit; empty: none

    TaskState state = TaskState::Pending;
    WaitReason waits_for = WaitReason::None;
    int attempts = 0;  ///< runs that ended by themselves
    int crashes = 0;   ///< runs that were cut short
    int requeues = 0;  ///< leases that ended before their start, since the last run
    Timestamp created_at;
    std::optional<Timestamp> claimed_at;
    std::optional<Timestamp> started_at;
    std::optional<Timestamp> finished_at;
    std::int64_t lease = 0;  ///< the current one, or the last one of an ended task that ran; 0: none
    Uuid worker;             ///< of that lease; nil: none
    bool cancel_requested = false;
    std::string result;              ///< JSON text; empty unless COMPLETED
    std::optional<TaskError> error;  ///< unless PENDING, CLAIMED, RUNNING or COMPLETED
    std::optional<Progress> progress;
    std::string checkpoint;  ///< JSON text; empty: none
};

/// One execution of a task: a row of history, written once.
struct AttemptInfo {
    int number = 1;
    std::int64_t lease = 0;
    Uuid worker;
    Timestamp claimed_at;
    Timestamp started_at;
    Timestamp finished_at;
    std::string end;  ///< "COMPLETED", "FAILED", "CRASHED", "STOPPED", "STOPPED_CLEANLY" or "CANCELLED"
    std::optional<TaskError> error;
};

/// One line of history beyond the normal life.
struct EventInfo {
    std::int64_t id = 0;  ///< grows
    Timestamp at;
    std::string kind;  ///< "cancel_requested", "requeued", ...
    Uuid worker;       ///< nil: about no worker
    std::string who;   ///< who decided: a person, a worker, a sweeper
    std::string message;
    std::string data;  ///< JSON text: evidence and numbers; may be empty
};

/// Which tasks to list: all that match every member that is set. Newest first.
struct TaskQuery {
    std::vector<TaskState> states = {};  ///< empty: all
    std::string name = {};               ///< empty: all
    std::string queue = {};              ///< empty: all
    std::optional<Uuid> after = {};      ///< the last id of the page before
    std::size_t limit = 50;              ///< 1..1000
};

/// What became of one submitted item.
enum class SubmitStatus {
    Accepted,
    Existing,         ///< the same id or idempotency key with the same payload: the first task's id is returned
    PayloadMismatch,  ///< ... with another payload: nothing was changed
    TooOld,           ///< the id is not found, and so old that its task may have been pruned
    Refused,          ///< this item cannot be stored: `complaint` names the field and what is allowed
};
struct SubmitOutcome {
    SubmitStatus status = SubmitStatus::Accepted;
    Uuid id;
    std::string complaint;
    /// The limit of its concurrency key that is in force, which may be another one than it asked for; unset: it was
    /// not accepted, or has no key.
    std::optional<int> concurrency_limit = {};
};

/// What became of a cancel.
enum class CancelStatus {
    Cancelled,  ///< it was PENDING, and is CANCELLED now
    Requested,  ///< it is CLAIMED or RUNNING: its worker is asked, and confirms when the run is dead
    Already,    ///< cancelled, or requested, before
    Finished,   ///< it had ended otherwise
    NotFound,
};

}  // namespace holdfast
