#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/incarnation.h"
#include "store/errors.h"
#include "store/limits.h"
#include "store/task_records.h"
#include "store/watch.h"
#include "store/worker_records.h"

namespace holdfast::store {

// ---- Parameters and answers, in the order of the verbs ------------------------------------------------------------

struct RegisterAnswer {
    std::int64_t number = 0;
    std::int64_t rank = 0;  ///< of the store's history (core/incarnation.h)
};

struct BeatParams {
    Uuid worker;
    WorkerStatus status = WorkerStatus::Active;
    std::vector<HeldLease> held;
    std::vector<ProgressReport> progress;  ///< what changed since the last beat
    bool keep_history = false;             ///< also append to the history of heartbeats
    bool proves_session = false;      ///< PostgreSQL: prove and record that this connection holds the session lock
    core::Witness acknowledged = {};  ///< the worker's last acknowledged beat: a store that knows fewer has gone back
};
struct BeatAnswer {
    bool known = true;                ///< false: the row is gone; register again under the same id
    std::int64_t rank = 0;            ///< of the store's history; a new one: register again, deliver outcomes again
    std::int64_t beat = 0;            ///< the number of this beat
    bool drain = false;               ///< a person ordered the worker to drain
    bool cordoned = false;            ///< ... or to claim nothing
    std::vector<TaskLease> lost;      ///< listed, but not its leases any more: kill
    std::vector<StopRequest> stop;    ///< asked to stop: kill, then finish
    std::vector<TaskLease> unlisted;  ///< its leases in the store that the beat did not list: hand back or settle
};

struct FinishedRun {
    TaskLease lease;
    core::LeaseEnd end = core::LeaseEnd::Completed;  ///< NotStarted: the worker is certain that nothing of it ran
    std::string result;                              ///< JSON text, of Completed
    TaskError error;                                 ///< of Failed, Crashed, Stopped
    double jitter = 0.5;                             ///< drawn by the caller from [0, 1)
};
struct TurnParams {
    Uuid worker;
    /// Of the claim, chosen by the worker. The last one again returns the leases that it was granted, as far as they
    /// are still held, even when the worker's status has changed: its answer may have been lost. Only a new one is
    /// refused as NotActive or Cordoned; an unknown worker always is.
    Uuid request = {};
    std::vector<FinishedRun> finish = {};
    std::vector<TaskLease> hand_back = {};  ///< CLAIMED: their leases end without a run
    std::vector<TaskLease> start = {};      ///< CLAIMED: a free runner waits for each
    std::size_t to_start = 0;               ///< claim for free runners: these are RUNNING when the call returns
    std::size_t to_hold = 0;           ///< claim ahead: these stay CLAIMED; tasks with a concurrency key are left out
    core::Witness highest_lease = {};  ///< that the worker has seen: a store that gave fewer has gone back
    bool may_wait = true;  ///< for other workers that use the same concurrency keys; false: PutOff instead

    [[nodiscard]] bool claims() const { return to_start + to_hold > 0; }
    [[nodiscard]] bool asks_for_nothing() const {
        return finish.empty() && hand_back.empty() && start.empty() && !claims();
    }
};
struct FinishOutcome {
    Fenced fenced = Fenced::Applied;
    TaskState state = TaskState::Completed;  ///< where the task is now, when applied
};
enum class ClaimRefusal {
    None,
    UnknownWorker,
    NotActive,
    Cordoned,
    PutOff,  ///< not done: it may have to wait for other workers, and must not, or the rest of its turn must not
};
constexpr auto words_of(ClaimRefusal) {
    using enum ClaimRefusal;
    return words<ClaimRefusal>({{None, "none"},
                                {UnknownWorker, "unknown_worker"},
                                {NotActive, "not_active"},
                                {Cordoned, "cordoned"},
                                {PutOff, "put_off"}});
}
struct ClaimedTask {
    NewTask task;
    Lease lease = 0;
    bool started = false;
    core::History history;   ///< before this lease
    std::string checkpoint;  ///< of an earlier attempt; empty: none
};
/// The answer to a claim.
struct ClaimAnswer {
    ClaimRefusal refusal = ClaimRefusal::None;
    std::vector<ClaimedTask> tasks = {};  ///< by priority, run_at, id; started ones first
    /// How long until the next task of the worker's routes falls due; nullopt: none is scheduled.
    std::optional<Duration> next_due = {};
    bool more = false;  ///< the search was cut short: claim again at once
};
/// The answers to each list, in its order.
struct TurnAnswer {
    std::vector<FinishOutcome> finished = {};
    std::vector<Fenced> handed_back = {};  ///< also LeaseLost: the lease was started; finish it instead
    std::vector<Fenced> started = {};
    ClaimAnswer claimed = {};
};

// ---- The part for workers -----------------------------------------------------------------------------------------

/// The life of a worker and the runs of its tasks: the part of the store that engine::Worker calls. All parameters
/// and answers are plain values. Every write for a lease names (task, lease, worker) and is refused as LeaseLost when
/// that is not the task's current lease, or another worker's. The rules for all verbs stand at Store, in
/// store/store.h.
class WorkerStore {
public:
    virtual ~WorkerStore() = default;

    /// Makes the worker's row and marks it active. The same id again refreshes the row, or makes it anew when it was
    /// removed.
    virtual RegisterAnswer register_worker(const WorkerRegistration& worker) = 0;
    /// Marks the worker inactive. Returns false when it is unknown.
    virtual bool deregister_worker(const Uuid& worker) = 0;
    /// Proves that the worker lives, and returns its orders.
    virtual BeatAnswer beat(const BeatParams& params) = 0;

    /// Finishes runs, starts leases, claims more and hands leases back, in this order: what it hands back, it does
    /// not claim again. One transaction; a large turn, or one that hands back, may take several. The same turn again
    /// is harmless: what was done before is answered with Already, and the claim with what it was granted.
    virtual TurnAnswer turn(const TurnParams& params) = 0;

    /// Replaces the progress of runs. The same report again is Applied again.
    virtual std::vector<Fenced> save_progress(const Uuid& worker, const std::vector<ProgressReport>& reports) = 0;
    virtual std::vector<Fenced> append_logs(const Uuid& worker, const std::vector<LogChunk>& chunks) = 0;
    virtual void append_worker_snapshot(const WorkerSnapshot& snapshot) = 0;

    /// Returns a watch for work or for orders.
    [[nodiscard]] virtual std::unique_ptr<Watch> watch(Topic topic) = 0;
};

}  // namespace holdfast::store
