#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/task/concurrency.h"
#include "store/errors.h"
#include "store/job_store.h"
#include "store/server_store.h"
#include "store/task_records.h"
#include "store/worker_records.h"

namespace holdfast::store {

// ---- Limits ------------------------------------------------------------------------------------------------------

struct Limits {
    std::size_t max_payload_bytes = 1 << 20;  ///< of args, spec, result, checkpoint and error data, each
    /// Ids older than this that are not found are refused by submit: their task may have been pruned. So are,
    /// whatever the clocks say, those up to the highest that has been. nullopt: this process holds none for too old
    /// by its age.
    std::optional<Duration> terminal_retention = std::chrono::hours(720);
};
/// Names, queues, tags, keys and other short texts.
inline constexpr std::size_t max_short_text_bytes = 255;
/// Of the failure in a SweepNote; the rest is cut off.
inline constexpr std::size_t max_failure_bytes = 4096;
/// No verb changes more rows than this in one transaction; larger batches are split.
inline constexpr std::size_t max_batch_rows = 1000;

// ---- Parameters and answers, one pair per verb, in the order of the verbs -----------------------

using holdfast::SubmitOutcome;
using holdfast::SubmitStatus;

struct TaskFilter {
    std::vector<TaskState> states;  ///< empty: all
    std::string name;               ///< empty: all; as are the following
    std::string queue;
    std::string id_prefix;  ///< hexadecimal digits and dashes, as people abbreviate an id
    Uuid worker;            ///< of the current or last lease
};
struct ListParams {
    TaskFilter filter;
    std::optional<Uuid> after;  ///< the last id of the page before
    std::size_t limit = 50;     ///< 1..1000
};

using holdfast::CancelStatus;
struct CancelParams {
    std::vector<Uuid> tasks;
    std::string who;
    std::string reason;
};

enum class ForceStatus { Applied, Finished, NotFound };
struct ForceParams {
    std::vector<Uuid> tasks;
    TaskState state = TaskState::Failed;  ///< FAILED or CANCELLED
    std::string who;
    std::string reason;
};

/// What happened to one fenced write.
enum class Fenced {
    Applied,
    Already,    ///< the same call has been applied before
    LeaseLost,  ///< the lease is not the task's current one: the run is to be stopped, its result is worth nothing
    Withdrawn,  ///< of a start: a cancel was requested; the lease is still held and to be handed back
    Refused,    ///< of progress: it cannot be stored (its size, its text); nothing was changed
};

struct ClaimParams {
    Uuid worker;
    /// Chosen by the worker. The last one again returns the leases that it was granted, as far as they are still
    /// held, whatever the worker's status is by now: its answer may have been lost. Only a new one is refused as
    /// NotActive or Cordoned; an unknown worker always is.
    Uuid request;
    std::size_t to_start = 0;  ///< free runners: these are RUNNING when the call returns
    std::size_t to_hold = 0;   ///< prefetch: these stay CLAIMED; tasks with a concurrency key are left out
};
enum class ClaimRefusal { None, UnknownWorker, NotActive, Cordoned };
struct ClaimedTask {
    NewTask task;
    Lease lease = 0;
    bool started = false;
    core::History history;   ///< before this lease
    std::string checkpoint;  ///< of an earlier attempt; empty: none
};
struct ClaimAnswer {
    ClaimRefusal refusal = ClaimRefusal::None;
    std::vector<ClaimedTask> tasks;  ///< by priority, run_at, id; started ones first
    /// How long until the next task of the worker's routes falls due; nullopt: none is scheduled.
    std::optional<Duration> next_due;
    bool more = false;  ///< the search was cut short: claim again at once
};

struct FinishedRun {
    TaskLease lease;
    core::LeaseEnd end = core::LeaseEnd::Completed;  ///< any but NotStarted
    std::string result;                              ///< JSON text, of Completed
    TaskError error;                                 ///< of Failed, Crashed, Stopped
    double jitter = 0.5;                             ///< drawn by the caller from [0, 1)
};
struct FinishParams {
    Uuid worker;
    std::vector<FinishedRun> runs;
    std::vector<TaskLease>
        then_start;  ///< CLAIMED tasks whose runners these runs free, started in the same transaction
};
struct FinishOutcome {
    Fenced fenced = Fenced::Applied;
    TaskState state = TaskState::Completed;  ///< where the task is now, when applied
};
struct FinishAnswer {
    std::vector<FinishOutcome> runs;
    std::vector<Fenced> starts;
};

struct LeasesParams {
    Uuid worker;  ///< the caller
    std::vector<TaskLease> leases;
};

struct ProgressReport {
    TaskLease lease;
    std::optional<double> fraction;
    std::string text;
    std::optional<std::string> checkpoint;  ///< JSON text
};

struct ReadLogsParams {
    Uuid task;
    std::int64_t after_offset = 0;
    std::size_t limit = 1000;
};

struct ReadEventsParams {
    std::optional<Uuid> task;    ///< only events about it
    std::optional<Uuid> worker;  ///< only events about it
    std::int64_t after_id = 0;
    std::size_t limit = 100;
};

struct RegisterAnswer {
    std::int64_t number = 0;
};

struct BeatParams {
    Uuid worker;
    WorkerStatus status = WorkerStatus::Active;
    std::vector<HeldLease> held;
    std::vector<ProgressReport> progress;  ///< what changed since the last beat
    bool keep_history = false;             ///< also append to the history of heartbeats
    bool proves_session = false;  ///< PostgreSQL: prove, and say, that this connection holds the session lock
};
enum class StopReason { Cancel, Timeout };
struct StopRequest {
    TaskLease lease;
    StopReason reason = StopReason::Cancel;
};
struct BeatAnswer {
    bool known = true;                ///< false: the row is gone; register again under the same id
    bool drain = false;               ///< somebody asked the worker to drain
    bool cordoned = false;            ///< ... or to claim nothing
    std::vector<TaskLease> lost;      ///< listed, but not its leases any more: kill
    std::vector<StopRequest> stop;    ///< asked to stop: kill, then finish
    std::vector<TaskLease> unlisted;  ///< its leases in the store that the beat did not list: hand back or settle
};

enum class WorkerOrder { Drain, Cordon, Uncordon };
struct OrderParams {
    Uuid worker;
    WorkerOrder order = WorkerOrder::Cordon;
    std::string who;
};
enum class RemoveStatus { Removed, HoldsLeases, StillActive, NotFound };

struct LostWorker {
    Uuid worker;
    std::int64_t beat = 0;  ///< the beat number the verdict was reached from: another one since refutes it
    std::string who;
    std::string evidence;  ///< a sentence, for the event
    std::string data;      ///< JSON text, for the event
};

struct FindLeasesParams {
    std::optional<Uuid> worker;  ///< only its leases
    std::optional<Uuid> after;   ///< the last task of the page before
    std::size_t limit = 1000;
};

/// The end of a lease over the head of its worker.
struct RecoveredLease {
    TaskLease lease;
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
        0;  ///< the number of its last one, as the observer saw it; nullopt: it has no row
};
struct RecoverParams {
    std::string who;
    std::vector<RecoveredLease> leases;
    std::optional<SilentWorker> only_while_silent =
        {};  ///< nothing is applied once it has beaten or registered again
};
struct RecoverOutcome {
    Fenced fenced = Fenced::Applied;
    TaskState state = TaskState::Failed;
};

struct AskToStopParams {
    std::vector<StopRequest> requests;
    std::string who;
    std::string reason;
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
    Duration waited{};        ///< their time came at least so long ago, without being claimed
    bool open_steps = false;  ///< also steps of jobs that leave it open; else only tasks that say `unmatched: fail`
    std::size_t limit = max_batch_rows;
};

struct RejectParams {
    std::vector<Uuid> tasks;
    TaskError error;
    std::string who;
};

struct PruneParams {
    std::optional<Duration> heartbeats_older_than;  ///< nullopt: keep; as are the following
    std::optional<Duration> worker_states_older_than;
    std::optional<Duration> terminal_older_than;  ///< terminal tasks with their attempts, logs and events
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
    bool more = false;
    std::string doubt = {};  ///< why nothing was removed: the store's clock is not trusted (core/clock_trust.h)
};

struct SweepLeaseAnswer {
    bool held = false;
    std::string holder;  ///< whoever holds it now; empty: nobody
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

struct QueueRecord {
    std::string name;
    bool paused = false;
    std::int64_t pending = 0;
    std::int64_t in_flight = 0;
};

/// A concurrency key that is declared, or that tasks use.
struct KeyRecord {
    core::KeyDeclaration key = {};  ///< with the limit in force
    bool declared = false;
    std::int64_t held = 0;     ///< slots: tasks that are CLAIMED or RUNNING
    std::int64_t waiting = 0;  ///< PENDING tasks that have found it full
};
struct KeysParams {
    std::string key = {};  ///< only of this name; empty: all
    std::size_t limit = max_batch_rows;
};
enum class DeclareStatus {
    New,
    Changed,    ///< it was declared with another limit
    Unchanged,  ///< it was declared with this limit
    IsShared,   ///< the key is declared shared and cannot be declared for a queue; nothing was changed
};

struct TaskCounts {
    std::int64_t pending = 0, claimed = 0, running = 0, completed = 0, failed = 0, cancelled = 0, expired = 0;
};

/// One finding of a check-up.
struct Finding {
    enum class Grade { Ok, Warning, Problem };
    Grade grade = Grade::Ok;
    std::string what;    ///< "schema version", "fsync", ...
    std::string found;   ///< "3", "off", ...
    std::string advice;  ///< what to do; empty when Ok
};

struct MigrateAnswer {
    int from = 0;
    int to = 0;
};

// ---- Wake-ups ----------------------------------------------------------------------------------------------------

/// What a waiter wants to hear about.
enum class Topic {
    Work,    ///< tasks became claimable, or a queue or worker was steered
    Done,    ///< tasks ended
    Orders,  ///< a worker is to stop a run, to drain, or to claim (nothing) from now on: its next beat is told
};

/// How often a watch answers true by itself, of a store that polls every `usual`.
[[nodiscard]] constexpr Duration safety_poll_of(Topic topic, Duration usual) {
    return topic == Topic::Orders ? std::chrono::hours(24 * 365) : usual;
}

/// Tells that something may have changed since the last wait (or since it was made). Make it first, look at the
/// store, then wait: no change is missed. A lost wake-up costs a second at most, because wait() then answers
/// true by itself (the safety poll); not for Orders, where beats are the safety poll. One thread waits; wake() may be
/// called from any.
class Watch {
public:
    virtual ~Watch() = default;
    /// Returns true when there may be news, false when `at_most` has passed without.
    virtual bool wait(Duration at_most) = 0;
    virtual void wake() = 0;
};

// ---- The port ----------------------------------------------------------------------------------------------------

/// The durable store: the only meeting point of clients, workers and servers.
///
/// Every verb is one transaction (or several bounded ones, for large batches): when it returns, it is on disk; when
/// it throws, nothing of the current batch is applied, unless it throws CommitInDoubt. Answers stand in the order of
/// the parameters. An empty batch is answered without asking the database. Items of a batch are independent: one
/// bad item never takes down the others.
///
/// Every write for a lease names (task, lease) and is refused as LeaseLost when that is not the current lease.
/// Calls from several threads are safe and take turns; open several stores to work in parallel. beat(),
/// look() and register_worker() have a connection of their own and never wait behind the others.
///
/// Beside it: JobStore, the verbs for jobs and steps, and ServerStore, what servers need.
class Store : public JobStore, public ServerStore {
public:
    // Tasks
    virtual std::vector<SubmitOutcome> submit(const std::vector<NewTask>& tasks) = 0;
    virtual std::vector<std::optional<TaskRecord>> find(const std::vector<Uuid>& ids) = 0;
    /// Newest first (by id, descending).
    virtual std::vector<TaskRecord> list(const ListParams& params) = 0;
    virtual TaskCounts count() = 0;
    /// Oldest first.
    virtual std::vector<AttemptRecord> attempts(const Uuid& task) = 0;
    virtual std::vector<EventRecord> events(const ReadEventsParams& params) = 0;
    /// The last events of all, newest first.
    virtual std::vector<EventRecord> last_events(std::size_t limit) = 0;
    virtual std::vector<CancelStatus> cancel(const CancelParams& params) = 0;
    /// Ends what is not terminal, at once, whatever its worker thinks; an event says who and why.
    virtual std::vector<ForceStatus> force(const ForceParams& params) = 0;

    // Execution
    virtual ClaimAnswer claim(const ClaimParams& params) = 0;
    virtual std::vector<Fenced> start(const LeasesParams& params) = 0;
    virtual FinishAnswer finish(const FinishParams& params) = 0;
    /// Ends CLAIMED leases without a run. A started one is LeaseLost: finish it.
    virtual std::vector<Fenced> hand_back(const LeasesParams& params) = 0;
    /// The last report counts: the same one again is Applied again.
    virtual std::vector<Fenced> save_progress(const std::vector<ProgressReport>& reports) = 0;
    virtual std::vector<Fenced> append_logs(const std::vector<LogChunk>& chunks) = 0;
    virtual std::vector<LogRecord> read_logs(const ReadLogsParams& params) = 0;

    // Workers
    /// The same id again refreshes the row (and makes it active), also when it had been removed.
    virtual RegisterAnswer register_worker(const WorkerRegistration& worker) = 0;
    /// Marks it inactive. False: no such worker.
    virtual bool deregister_worker(const Uuid& worker) = 0;
    virtual BeatAnswer beat(const BeatParams& params) = 0;
    virtual std::vector<WorkerRecord> workers() = 0;
    virtual bool order_worker(const OrderParams& params) = 0;
    /// Deletes the row of an inactive worker without leases.
    virtual RemoveStatus remove_worker(const Uuid& worker) = 0;
    virtual void append_worker_snapshot(const WorkerSnapshot& snapshot) = 0;
    /// Newest first.
    virtual std::vector<WorkerSnapshot> worker_snapshots(const Uuid& worker, std::size_t limit) = 0;

    // Recovery
    virtual LivenessView look() = 0;
    /// Marks workers inactive, each only if its beat number is still the same. True: marked (or was inactive).
    virtual std::vector<bool> mark_lost(const std::vector<LostWorker>& workers) = 0;
    /// By task id, ascending.
    virtual std::vector<LeaseRecord> leases(const FindLeasesParams& params) = 0;
    /// Applies verdicts, each only if the lease is current and its started-ness is as expected, and all of them only
    /// while the worker that they say is silent has not beaten or registered again; else they are LeaseLost.
    virtual std::vector<RecoverOutcome> recover(const RecoverParams& params) = 0;
    /// Asks the workers, through the answers to their beats, to stop runs. LeaseLost: nothing to ask.
    virtual std::vector<Fenced> ask_to_stop(const AskToStopParams& params) = 0;
    /// EXPIREs PENDING tasks whose deadline has passed; how many.
    virtual std::size_t expire_overdue(std::size_t limit) = 0;
    virtual std::vector<RouteBacklog> backlog() = 0;
    /// Tasks of the route that may fail for want of a worker, oldest first. Tasks that wait for a concurrency key, or
    /// whose deadline has stopped a claim, are none of them.
    virtual std::vector<Uuid> unmatched_tasks(const UnmatchedParams& params) = 0;
    /// FAILs PENDING tasks without a run. True: done.
    virtual std::vector<bool> reject(const RejectParams& params) = 0;
    /// Removes nothing while the store's clock is in doubt.
    virtual PruneAnswer prune(const PruneParams& params) = 0;
    /// Takes or renews the sweeper's lease; it lapses `expiry` after the last renewal. Expiry zero gives it up.
    virtual SweepLeaseAnswer sweep_lease(const std::string& holder, Duration expiry) = 0;
    /// Replaces what is noted about the service.
    virtual void note_sweep(const SweepNote& note) = 0;
    /// One of each service, by its name.
    virtual std::vector<SweepNote> sweep_notes() = 0;

    // Queues
    virtual std::vector<QueueRecord> queues() = 0;
    virtual void set_queue_paused(const std::string& queue, bool paused, const std::string& who) = 0;

    // Concurrency keys
    /// Declared keys first, then those that submits made; by key and queue.
    virtual std::vector<KeyRecord> keys(const KeysParams& params) = 0;
    /// Fixes the limit of a key. A higher limit lets waiting tasks into reach; a lower one lets running tasks finish.
    /// A shared key takes the place of what queues have declared with its name.
    virtual DeclareStatus declare_key(const core::KeyDeclaration& key, const std::string& who) = 0;
    /// The key keeps its limit and follows submits again; of a shared one, the key of each queue that uses it does.
    /// An empty queue: the shared key. False: it was not declared.
    virtual bool remove_key(const std::string& key, const std::string& queue, const std::string& who) = 0;

    // The store itself
    [[nodiscard]] virtual std::unique_ptr<Watch> watch(Topic topic) = 0;
    /// Brings the schema up to this program's version; safe when many processes do so at once.
    virtual MigrateAnswer migrate() = 0;
    virtual std::vector<Finding> check_up() = 0;
    [[nodiscard]] virtual Timestamp now() = 0;               ///< by the clock that stamps rows
    [[nodiscard]] virtual std::string describe() const = 0;  ///< the URL, passwords masked
};

}  // namespace holdfast::store
