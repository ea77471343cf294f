#pragma once

#include <string>
#include <vector>

#include "store/event_texts.h"
#include "store/sqlite/places.h"

namespace holdfast::sqlite {

/// How a lease ended, as its worker or an observer reports it.
struct LeaseReport {
    core::LeaseEnd end = core::LeaseEnd::Completed;
    std::string result;
    TaskError error;
    double jitter = 0.5;
    bool is_final = false;
};

/// The end of a task.
struct EndingRow {
    LeaseRow last;  ///< its last lease; number 0: none. Not started: there was no run
    TaskState state = TaskState::Completed;
    core::History history;
    core::LeaseEnd run_end = core::LeaseEnd::Completed;
    std::string result;
    std::optional<TaskError> error;
};
/// Moves tasks from where they were leased, if they were, to `ending`.
void write_endings(Transaction& tx, const std::vector<EndingRow>& rows);

/// The only way in which a lease ends. Decides with core::settle and frees the key's slot. A task that is to run
/// again gets its attempt written and is put back. Any other is added to `endings`, for the caller to write with
/// others; until then the lease stands. Returns the state of the task.
TaskState end_lease(Transaction& tx, LeaseRow row, LeaseReport report, std::vector<EndingRow>& endings);
/// The same, with its ending.
TaskState end_lease(Transaction& tx, LeaseRow row, LeaseReport report);

/// Ends a lease at once with the given terminal state, whatever its policy.
void force_lease(Transaction& tx, const LeaseRow& row, TaskState state, const TaskError& error);

/// Ends a PENDING task without a run. `state` is terminal.
void end_pending(Transaction& tx, const PendingTask& pending, TaskState state, const TaskError& error);

/// Cancels a task that is PENDING; asks for it when it is CLAIMED or RUNNING.
store::CancelStatus cancel_task(Transaction& tx, const Uuid& task, const std::string& who, const std::string& reason,
                                store::Cause cause);

/// An event about the task of a step is one about its job, too.
void write_event(Transaction& tx, const store::NewEvent& event);

/// Saves what a run reports; LeaseLost unless it is RUNNING under that lease of that worker. In progress.cc.
store::Fenced save_progress_of(Transaction& tx, const Uuid& worker, const store::ProgressReport& report,
                               const store::Limits& limits);

/// How the task ended; nullopt: it has not, or does not exist.
[[nodiscard]] std::optional<TaskState> ended_as(Database& db, const Uuid& task);

/// How the worker's run under this lease ended; nullopt: there was no such run, or it has not ended.
[[nodiscard]] std::optional<core::LeaseEnd> find_run_end(Database& db, const store::TaskLease& lease,
                                                         const Uuid& worker);

}  // namespace holdfast::sqlite
