#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/errors.h"
#include "store/job_records.h"
#include "store/limits.h"
#include "store/task_records.h"
#include "store/worker_records.h"

namespace holdfast::store {

// ---- Parameters and answers, in the order of the verbs ------------------------------------------------------------

struct LostWorker {
    Uuid worker;
    std::int64_t beat = 0;  ///< the beat number that the verdict was reached from: a later one refutes it
    std::string who;
    std::string evidence;  ///< a sentence, for the event
    std::string data;      ///< JSON text, for the event
};

struct FindLeasesParams {
    std::optional<Uuid> worker;  ///< only its leases
    std::optional<Uuid> after;   ///< the last task of the page before
    std::size_t limit = 1000;
};

/// The end of a lease, decided by another process than its worker.
struct RecoveredLease {
    TaskLease lease;
    Uuid worker;                  ///< that held it when the verdict was reached
    bool expect_started = false;  ///< the state that the verdict was reached from
    core::LeaseEnd end = core::LeaseEnd::Crashed;
    TaskError error;
    double jitter = 0.5;
    std::string evidence;   ///< a sentence, for the event
    std::string data;       ///< JSON text, for the event
    bool is_final = false;  ///< it is not run again, whatever its policy says
};
/// Verdicts that rest on the silence of a worker: a beat since then refutes them.
struct SilentWorker {
    Uuid worker;
    std::optional<std::int64_t> beat =
        0;  ///< the number of its last beat that the observer saw; nullopt: it has no row
};
struct RecoverParams {
    std::string who;
    std::vector<RecoveredLease> leases;
    /// Nothing is applied once this worker has beaten or registered again.
    std::optional<SilentWorker> only_while_silent = {};
    bool by_hand = false;  ///< a person gave the order: the events are orders
};
struct RecoverOutcome {
    Fenced fenced = Fenced::Applied;
    TaskState state = TaskState::Failed;
};

struct AskToStopParams {
    std::vector<StopRequest> requests;
    std::string who;
    std::string reason;
    bool by_hand = false;  ///< as in RecoverParams
};

/// A queue and set of tags with tasks that could be claimed now.
struct RouteBacklog {
    std::int64_t route = 0;
    std::string queue;
    std::vector<std::string> tags;
    std::int64_t ready = 0;
    Uuid oldest;
    Duration oldest_waits{};  ///< by the store's clock
    bool paused = false;
};

struct UnmatchedParams {
    std::int64_t route = 0;
    Duration waited{};        ///< claimable for at least so long, without being claimed
    bool open_steps = false;  ///< also steps of jobs that leave it open; else only tasks that say `unmatched: fail`
    std::size_t limit = max_batch_rows;
};

struct RejectParams {
    std::vector<Uuid> tasks;
    TaskError error;
    std::string who;
};

struct PruneParams {
    std::optional<Duration> heartbeats_older_than;  ///< nullopt: keep; the same for the following
    std::optional<Duration> worker_states_older_than;
    std::optional<Duration> terminal_older_than;  ///< terminal tasks with their attempts, logs and events
    std::optional<Duration> orders_older_than;    ///< events that are orders, whatever they are about
    std::size_t limit = max_batch_rows;           ///< of each category, in this call
    bool dry_run = false;
    Duration watched{};           ///< by the caller, on its own monotonic clock, since its last call
    bool clock_is_right = false;  ///< a person says so
};
struct PruneAnswer {
    std::int64_t heartbeats = 0;
    std::int64_t worker_states = 0;
    std::int64_t tasks = 0;
    std::int64_t jobs = 0;     ///< at the top, each with its tree and their tasks
    std::int64_t workers = 0;  ///< inactive, silent for as long as worker states are kept, without leases
    std::int64_t orders = 0;   ///< events
    bool more = false;
    std::string doubt = {};  ///< why nothing was removed: the store's clock is not trusted (core/clock_trust.h)
};

struct SweepLeaseAnswer {
    bool held = false;
    std::string holder;  ///< the process that holds it now; empty: none
};

/// What a recovery service did last, for people.
struct SweepNote {
    std::string service;  ///< "liveness", "retention", ...
    std::string who;      ///< which process
    Timestamp at;         ///< stamped by the store
    std::string did;      ///< JSON text: its counts
    std::string failure;  ///< empty: none

    friend bool operator==(const SweepNote&, const SweepNote&) = default;
};

struct RepairParams {
    Uuid after = {};          ///< the last root job of the pass before; nil: from the beginning
    std::size_t limit = 100;  ///< root jobs looked at in this call, each in a transaction of its own
    std::string who = {};
};
/// What one pass found and repaired; each repair has been written as an event of its job.
struct RepairAnswer {
    int replayed = 0;    ///< steps whose task had ended
    int resolved = 0;    ///< WAITING steps whose dependencies had ended
    int dispatched = 0;  ///< READY steps without a task or child, of a job that is not paused
    int children = 0;    ///< steps whose child job had ended
    int completed = 0;   ///< jobs all of whose steps had ended
    int steered = 0;     ///< tasks of cancelled or paused jobs that had not been told
    std::vector<std::pair<Uuid, std::string>> poison = {};  ///< jobs that could not be repaired, and why
    bool more = false;                                      ///< there may be more: go on after `last`
    Uuid last = {};

    [[nodiscard]] int total() const { return replayed + resolved + dispatched + children + completed + steered; }
};

/// What to do about a schedule's slots, decided by a scheduler from the record that it names.
struct FireParams {
    std::string schedule = {};
    Timestamp decided_until = {};  ///< as in the record it was decided from: another value since then refutes it
    Timestamp decide_until = {};   ///< ... and the value to write
    std::optional<Uuid> job = {};  ///< the id of the slot's job; nullopt: none is started
    bool cancel_previous = false;
    std::string who = {};
    std::string note = {};  ///< for an event, when slots were missed or skipped; empty: none
};

// ---- The part for recovery ----------------------------------------------------------------------------------------

/// Finds and settles what nobody else will: the part of the store that the sweeper and its services call, and people
/// who recover by hand. A verdict is applied only while the state that it was reached from still holds. The rules for
/// all verbs stand at Store, in store/store.h.
class RecoveryStore {
public:
    virtual ~RecoveryStore() = default;

    // Workers and their leases
    virtual LivenessView look() = 0;
    virtual std::vector<WorkerRecord> workers() = 0;
    /// Marks workers inactive, each only if its beat number is still the same. True: it is inactive now.
    virtual std::vector<bool> mark_lost(const std::vector<LostWorker>& workers) = 0;
    /// Returns leases by task id, ascending.
    virtual std::vector<LeaseRecord> leases(const FindLeasesParams& params) = 0;
    /// Applies verdicts. Each is LeaseLost when the lease is not current or was started since; all of them are when
    /// the worker that they call silent has beaten or registered again.
    virtual std::vector<RecoverOutcome> recover(const RecoverParams& params) = 0;
    /// Asks workers, through the answers to their beats, to stop runs. LeaseLost: the run has ended.
    virtual std::vector<Fenced> ask_to_stop(const AskToStopParams& params) = 0;

    // Tasks that wait
    /// EXPIREs PENDING tasks whose deadline has passed. Returns how many.
    virtual std::size_t expire_overdue(std::size_t limit) = 0;
    virtual std::vector<RouteBacklog> backlog() = 0;
    /// Returns tasks of the route that may fail for want of a worker, oldest first; not those that wait for a
    /// concurrency key or that a claim passed over for their deadline.
    virtual std::vector<Uuid> unmatched_tasks(const UnmatchedParams& params) = 0;
    /// FAILs PENDING tasks without a run. True: it has failed now.
    virtual std::vector<bool> reject(const RejectParams& params) = 0;

    // Jobs and schedules
    /// Ends waits whose time has come and approvals that were not given in time. Returns how many.
    virtual std::size_t end_due_waits(std::size_t limit) = 0;
    /// Cancels jobs that have run, or queued, for too long. Returns how many.
    virtual std::size_t cancel_overdue_jobs(std::size_t limit, const std::string& who) = 0;
    /// Finds and repairs what the transactions should have made impossible.
    virtual RepairAnswer repair_jobs(const RepairParams& params) = 0;
    /// Returns schedules by name.
    virtual std::vector<ScheduleRecord> schedules() = 0;
    /// Starts the slot's job and moves on, in one transaction. Returns false when another scheduler did, or when the
    /// schedule is paused or gone.
    virtual bool fire(const FireParams& params) = 0;

    // Retention
    /// Removes old history; nothing while the store's clock is in doubt.
    virtual PruneAnswer prune(const PruneParams& params) = 0;

    // Who sweeps, and what it did
    /// Takes or renews the sweeper's lease; it lapses `expiry` after the last renewal. Expiry zero gives it up.
    virtual SweepLeaseAnswer sweep_lease(const std::string& holder, Duration expiry) = 0;
    /// Replaces the note about the service.
    virtual void note_sweep(const SweepNote& note) = 0;
    /// Returns the note about each service, by its name.
    virtual std::vector<SweepNote> sweep_notes() = 0;

    [[nodiscard]] virtual Timestamp now() = 0;  ///< by the clock that stamps rows
};

}  // namespace holdfast::store
