#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/task/settlement.h"
#include "holdfast/job.h"
#include "proof/chaos/chaos_task.h"
#include "proof/chaos/fault_plan.h"
#include "proof/crew/ledger.h"

namespace holdfast::chaos {

using crew::LedgerLine;
using crew::LedgerLines;
using crew::Mark;

// What is known after a chaos run, from three independent sources: what the tasks wrote about themselves (the
// ledger), what the store says, and what the nemesis did.

// ---- The store ----------------------------------------------------------------------------------------------------

/// A run that has ended, by the store's history.
struct RunSeen {
    store::Lease lease = 0;
    core::LeaseEnd end = core::LeaseEnd::Completed;
    Timestamp finished_at = {};
    Uuid worker = {};  ///< that had the lease; nil: not known
};

struct TaskSeen {
    Uuid id = {};
    TaskState state = TaskState::Pending;
    std::string error_code = {};
    store::Lease lease = 0;                        ///< the current or last one
    std::optional<store::Lease> returned_by = {};  ///< the lease that its result names
    TaskPolicy policy = {};
    Behaviour behaviour = {};
    Timestamp created_at = {};
    std::optional<Timestamp> finished_at = {};
    std::vector<RunSeen> runs = {};  ///< those that ended, oldest first
};

struct StepSeen {
    std::string name = {};  ///< "spread[2]" for an item
    StepState state = StepState::Waiting;
    Uuid task = {};                            ///< nil: none
    Uuid child = {};                           ///< the child job; nil: none
    std::vector<std::string> depends_on = {};  ///< names of steps
    bool is_hook = false;
};
struct JobSeen {
    Uuid id = {};
    JobState state = JobState::Pending;
    std::vector<StepSeen> steps = {};
};

/// A verdict that a sweeper wrote: on a worker, or on one of its tasks.
struct VerdictSeen {
    Timestamp at = {};
    Uuid worker = {};
    Uuid task = {};             ///< nil: about the worker itself
    std::string evidence = {};  ///< "exited", "rebooted", "disconnected", "silent"; "none": of a live worker
};

// ---- The nemesis --------------------------------------------------------------------------------------------------

/// A fault that was carried out.
struct Blow {
    FaultKind kind = FaultKind::KillWorker;
    Timestamp at = {};
    Duration length = {};   ///< how long it lasts
    std::string whom = {};  ///< "worker-2", "a runner of worker-2", "everybody"
    int pid = 0;            ///< of the process that was hit; 0: none
};

/// A moment at which another history of the store began.
struct Failover {
    FaultKind kind = FaultKind::PromoteStandby;
    Timestamp promoted_at = {};                ///< the store accepts writes again
    std::optional<Timestamp> lost_since = {};  ///< commits from here to the promotion may be gone; unset: none is
};

/// A worker or server process, from its start to its end.
struct Life {
    std::string name = {};
    Uuid worker = {};  ///< nil: it never registered
    int pid = 0;
    std::uint64_t start_time = 0;  ///< distinguishes processes with the same pid
    Timestamp seen_alive = {};     ///< the last time that it was
    bool ended = false;
    int status = 0;  ///< of waitpid, once ended
    bool was_asked_to_leave = false;
    bool overstayed = false;       ///< it did not leave at the end, when it was asked to
    bool was_killed = false;       ///< by the nemesis, or at the end of the run
    std::vector<Blow> blows = {};  ///< what was done to it or its path, oldest first
};

// ---- All of it ----------------------------------------------------------------------------------------------------

/// A task or job that the store has acknowledged to the client.
struct Acknowledged {
    Uuid id = {};
    Timestamp at = {};
};

struct Findings {
    LedgerLines ledger = {};
    std::vector<Acknowledged> acknowledged_tasks = {};
    std::vector<Acknowledged> acknowledged_jobs = {};
    std::set<Uuid> told_lost = {};  ///< tasks and jobs of which the client was told that the store has lost them
    std::vector<TaskSeen> tasks = {};
    std::vector<JobSeen> jobs = {};
    std::vector<VerdictSeen> verdicts = {};
    std::size_t late_results = 0;  ///< refused
    std::vector<Life> lives = {};
    std::vector<Blow> blows = {};          ///< all, oldest first
    std::vector<Failover> failovers = {};  ///< oldest first
    std::size_t faults_skipped = 0;        ///< planned, but without a target
    Timestamp began = {};
    Timestamp faults_ended = {};
    std::optional<Timestamp> settled_at = {};  ///< unset: not within the bound
    Duration settle_bound = {};
};

}  // namespace holdfast::chaos
