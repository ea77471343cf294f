#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/task/settlement.h"
#include "holdfast/task.h"
#include "holdfast/task_info.h"

namespace holdfast::store {

/// A number that only grows, over all tasks of a store; proves a worker's right to a task. Leases begin at 1; 0 means
/// none.
using Lease = std::int64_t;

struct TaskLease {
    Uuid task;
    Lease lease = 0;

    friend bool operator==(const TaskLease&, const TaskLease&) = default;
    // As in holdfast::Uuid: NOLINTNEXTLINE(modernize-use-nullptr)
    friend auto operator<=>(const TaskLease&, const TaskLease&) = default;
};

/// What happened to one fenced write.
enum class Fenced {
    Applied,
    Already,    ///< the same call has been applied before
    LeaseLost,  ///< the lease is not the task's current one: stop the run, its result is worthless
    Withdrawn,  ///< of a start: a cancel was requested; the lease is still held and has to be handed back
    Refused,    ///< of progress: it cannot be stored (its size, its text); nothing was changed
};
constexpr auto words_of(Fenced) {
    using enum Fenced;
    return words<Fenced>({{Applied, "applied"},
                          {Already, "already"},
                          {LeaseLost, "lease_lost"},
                          {Withdrawn, "withdrawn"},
                          {Refused, "refused"}});
}

/// A task as it is submitted. `tags` are all that it requires; the caller has added what its kind needs.
struct NewTask {
    Uuid id;
    std::string name;
    std::string args = "null";  ///< JSON text, kept as it is
    std::string spec;  ///< JSON text: what to execute, for scripts and containers; empty: a registered function
    std::string queue = "default";
    std::vector<std::string> tags;
    int priority = 50;
    std::optional<Timestamp> run_at;
    std::optional<Timestamp> deadline;
    std::optional<ConcurrencyKey> concurrency;
    std::string idempotency_key;
    TaskPolicy policy;
    Uuid retry_of;            ///< nil: none
    std::string traceparent;  ///< W3C trace context of the submitter; empty: none. Not part of the payload
};

using holdfast::Progress;
using holdfast::WaitReason;

/// Everything about one task.
struct TaskRecord {
    NewTask task;  ///< run_at: as it stands now, moved by retries
    TaskState state = TaskState::Pending;
    WaitReason waits_for = WaitReason::None;
    core::History history;
    Timestamp created_at;
    Lease lease = 0;  ///< the current one, or the last one of an ended task that ran
    Uuid worker;      ///< of that lease; nil: none
    std::optional<Timestamp> claimed_at;
    std::optional<Timestamp> started_at;
    std::optional<Timestamp> finished_at;
    bool cancel_requested = false;
    std::string result;  ///< JSON text; empty unless COMPLETED
    std::optional<TaskError> error;
    std::optional<Progress> progress;
    std::string checkpoint;  ///< JSON text; empty: none
};

/// What a run reports while it runs.
struct ProgressReport {
    TaskLease lease;
    std::optional<double> fraction;
    std::string text;
    std::optional<std::string> checkpoint;  ///< JSON text
};

/// One execution of a task: a row of history, written once.
struct AttemptRecord {
    Uuid task;
    int number = 1;
    Lease lease = 0;
    Uuid worker;
    Timestamp claimed_at;
    Timestamp started_at;
    Timestamp finished_at;
    core::LeaseEnd end = core::LeaseEnd::Completed;
    std::optional<TaskError> error;
};

/// One line of history beyond the normal life.
struct EventRecord {
    std::int64_t id = 0;  ///< grows; where to read on from
    Timestamp at = {};
    std::string kind = {};  ///< "cancel_requested", "requeued", "worker_lost", ...
    Uuid task = {};         ///< nil: about no task
    Uuid worker = {};       ///< nil: about no worker
    std::string who = {};   ///< who decided: a person, a worker, a sweeper
    std::string message = {};
    std::string data = {};   ///< JSON text: evidence and numbers; may be empty
    Uuid job = {};           ///< nil: about no job
    std::string queue = {};  ///< that it belongs to; empty: to none, or to several
    bool is_order = false;   ///< a person or an application gave an order: kept longer, listed by orders()
};

/// A chunk of what a run printed.
struct LogChunk {
    Uuid task;
    Lease lease = 0;
    int sequence = 0;    ///< of the lease, from 0; the same number again is the same chunk
    std::string stream;  ///< "stdout", "stderr" or "log"
    std::string text;
    Timestamp at;  ///< when the worker read it
};

struct LogRecord {
    std::int64_t offset = 0;  ///< where to read on from, exclusive
    LogChunk chunk;
};

}  // namespace holdfast::store
