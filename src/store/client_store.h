#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/words.h"
#include "core/task/concurrency.h"
#include "store/errors.h"
#include "store/job_records.h"
#include "store/limits.h"
#include "store/task_records.h"
#include "store/token_records.h"
#include "store/watch.h"
#include "store/worker_records.h"

namespace holdfast::store {

// ---- Parameters and answers, in the order of the verbs ------------------------------------------------------------

using holdfast::SubmitOutcome;
using holdfast::SubmitStatus;

/// Limits what a verb reads to tasks of these queues, and to jobs of which all tasks go to them; empty: everything.
using Queues = std::vector<std::string>;

struct TaskFilter {
    std::vector<TaskState> states;  ///< empty: all
    std::string name;               ///< empty: all; the same for the following
    std::string queue;
    std::string id_prefix;  ///< hexadecimal digits and dashes, as people abbreviate an id
    Uuid worker;            ///< of the current or last lease
};
struct ListParams {
    TaskFilter filter;
    std::optional<Uuid> after;  ///< the last id of the page before
    std::size_t limit = 50;     ///< 1..1000
};

struct TaskCounts {
    std::int64_t pending = 0, claimed = 0, running = 0, completed = 0, failed = 0, cancelled = 0, expired = 0;
};

struct ReadEventsParams {
    std::optional<Uuid> task;    ///< only events about it
    std::optional<Uuid> worker;  ///< only events about it
    std::int64_t after_id = 0;
    std::size_t limit = 100;
    Queues queues = {};  ///< only events about tasks and jobs of them
};

struct ReadLogsParams {
    Uuid task;
    std::int64_t after_offset = 0;
    std::size_t limit = 1000;
};

using holdfast::CancelStatus;
struct CancelParams {
    std::vector<Uuid> tasks;
    std::string who;
    std::string reason;
    bool with_their_job = false;  ///< their job is cancelled: the order is an event of the job, not of each task
};

enum class ForceStatus { Applied, Finished, NotFound };
struct ForceParams {
    std::vector<Uuid> tasks;
    TaskState state = TaskState::Failed;  ///< FAILED or CANCELLED
    std::string who;
    std::string reason;
};

enum class WorkerOrder { Drain, Cordon, Uncordon };
struct OrderParams {
    Uuid worker;
    WorkerOrder order = WorkerOrder::Cordon;
    std::string who;
};
enum class RemoveStatus { Removed, HoldsLeases, StillActive, NotFound };

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
    Queues queues = {};  ///< only keys of them, and no shared ones; empty: all
};
enum class DeclareStatus {
    New,
    Changed,    ///< it was declared with another limit
    Unchanged,  ///< it was declared with this limit
    IsShared,   ///< the key is declared shared and cannot be declared for a queue; nothing was changed
};
constexpr auto words_of(DeclareStatus) {
    using enum DeclareStatus;
    return words<DeclareStatus>(
        {{New, "new"}, {Changed, "changed"}, {Unchanged, "unchanged"}, {IsShared, "is_shared"}});
}

/// One finding of a check-up.
struct Finding {
    enum class Grade { Ok, Warning, Problem };
    Grade grade = Grade::Ok;
    std::string what;    ///< "schema version", "fsync", ...
    std::string found;   ///< "3", "off", ...
    std::string advice;  ///< what to do; empty when Ok
};
constexpr auto words_of(Finding::Grade) {
    using enum Finding::Grade;
    return words<Finding::Grade>({{Ok, "ok"}, {Warning, "warning"}, {Problem, "problem"}});
}

// ---- The part for people and applications -------------------------------------------------------------------------

/// Submits, reads and steers: the part of the store for people and applications. The command line, the client library
/// and the API call it. It has a second implementation that asks a server (remote::RemoteStore), so it offers only
/// what a server offers, too. The rules for all verbs stand at Store, in store/store.h.
class ClientStore {
public:
    virtual ~ClientStore() = default;

    // Tasks
    virtual std::vector<SubmitOutcome> submit(const std::vector<NewTask>& tasks) = 0;
    /// Returns nullopt for an unknown id.
    virtual std::vector<std::optional<TaskRecord>> find(const std::vector<Uuid>& ids) = 0;
    /// Returns tasks newest first (by id, descending).
    virtual std::vector<TaskRecord> list(const ListParams& params) = 0;
    virtual TaskCounts count(const Queues& queues = {}) = 0;
    /// Returns the earlier executions of a task, oldest first.
    virtual std::vector<AttemptRecord> attempts(const Uuid& task) = 0;
    /// Returns events oldest first.
    virtual std::vector<EventRecord> events(const ReadEventsParams& params) = 0;
    /// Returns the last events about anything, newest first.
    virtual std::vector<EventRecord> last_events(std::size_t limit, const Queues& queues = {}) = 0;
    /// Returns pieces of a task's output, in the order in which they were stored.
    virtual std::vector<LogRecord> read_logs(const ReadLogsParams& params) = 0;
    virtual std::vector<CancelStatus> cancel(const CancelParams& params) = 0;
    /// Ends tasks at once, even while their workers run them. An event says who did it and why.
    virtual std::vector<ForceStatus> force(const ForceParams& params) = 0;

    // Jobs
    virtual std::vector<SubmitOutcome> start_jobs(const std::vector<NewJob>& jobs) = 0;
    /// Returns nullopt for an unknown id.
    virtual std::vector<std::optional<JobInfo>> find_jobs(const std::vector<Uuid>& ids) = 0;
    /// Returns jobs newest first (by id, descending).
    virtual std::vector<JobInfo> list_jobs(const JobQuery& query, const Queues& queues = {}) = 0;
    /// Returns at most `limit` ids that begin with the prefix (hexadecimal digits and dashes).
    virtual std::vector<Uuid> jobs_with_prefix(const std::string& prefix, std::size_t limit,
                                               const Queues& queues = {}) = 0;
    /// Returns steps in the order of the definition: items after their step, hooks last.
    virtual std::vector<StepInfo> steps(const StepsParams& params) = 0;
    /// Returns the text that the job was started with: its bundle. Empty: the job is unknown.
    virtual std::string job_definition(const Uuid& job) = 0;
    /// Returns what the engine did to the job and to the tasks of its steps, oldest first: the log of `_server`.
    virtual std::vector<EventRecord> job_events(const JobEventsParams& params) = 0;
    /// Returns the job that a task belongs to and the name of its step; nullopt: it does not belong to a job.
    virtual std::optional<StepOfTask> step_of_task(const Uuid& task) = 0;
    virtual std::vector<SteerStatus> cancel_jobs(const SteerJobsParams& params) = 0;
    /// When it returns, no task of these jobs starts until they are resumed.
    virtual std::vector<SteerStatus> pause_jobs(const SteerJobsParams& params) = 0;
    virtual std::vector<SteerStatus> resume_jobs(const SteerJobsParams& params) = 0;
    virtual DecideStatus decide_approval(const DecideParams& params) = 0;
    /// Starts a new job that adopts what succeeded in a FAILED or CANCELLED one.
    virtual RetryStatus retry_job(const RetryJobParams& params) = 0;

    // Schedules
    /// Returns schedules by name.
    virtual std::vector<ScheduleRecord> schedules() = 0;
    /// Returns false when the schedule is unknown.
    virtual bool set_schedule_paused(const std::string& schedule, bool paused, const std::string& who) = 0;
    /// Returns false when the schedule is unknown.
    virtual bool remove_schedule(const std::string& schedule, const std::string& who) = 0;

    // Workers
    virtual std::vector<WorkerRecord> workers() = 0;
    /// Returns at most `limit` leases of a worker, by task id, ascending.
    virtual std::vector<LeaseRecord> leases_of(const Uuid& worker, std::size_t limit) = 0;
    /// Returns the last `limit` snapshots of a worker, newest first.
    virtual std::vector<WorkerSnapshot> worker_snapshots(const Uuid& worker, std::size_t limit) = 0;
    /// Returns false when the worker is unknown.
    virtual bool order_worker(const OrderParams& params) = 0;
    /// Deletes the row of an inactive worker without leases.
    virtual RemoveStatus remove_worker(const Uuid& worker, const std::string& who) = 0;

    // Queues and concurrency keys
    virtual std::vector<QueueRecord> queues() = 0;
    virtual void set_queue_paused(const std::string& queue, bool paused, const std::string& who) = 0;
    /// Returns declared keys first, then those that submits made, each by key and queue.
    virtual std::vector<KeyRecord> keys(const KeysParams& params) = 0;
    /// Fixes the limit of a key. A higher limit makes waiting tasks claimable; a lower one lets running tasks finish.
    /// A shared key replaces the declarations of its name by queues.
    virtual DeclareStatus declare_key(const core::KeyDeclaration& key, const std::string& who) = 0;
    /// Lets the limit follow submits again; until then the key keeps it. An empty queue means the shared key: then
    /// the key of each queue that uses it does so. Returns false when the key was not declared.
    virtual bool remove_key(const std::string& key, const std::string& queue, const std::string& who) = 0;

    // Tokens
    /// Returns tokens newest first; revoked and expired ones for as long as terminal tasks are kept. The newest of
    /// all is never removed: once a token has been made, the answer is never empty again.
    virtual std::vector<TokenRecord> tokens() = 0;
    /// Revokes a token by its name or id. Returns false when it is unknown or was revoked before.
    virtual bool revoke_token(const std::string& name_or_id, const std::string& who) = 0;

    // Sessions of the page
    /// Returns the valid sessions, newest first.
    virtual std::vector<SessionRecord> sessions() = 0;
    /// Returns false when there is no such session.
    virtual bool end_session(const Uuid& session, const std::string& who) = 0;

    // The store itself
    [[nodiscard]] virtual std::unique_ptr<Watch> watch(Topic topic) = 0;
    virtual std::vector<Finding> check_up() = 0;
    [[nodiscard]] virtual Timestamp now() = 0;               ///< by the clock that stamps rows
    [[nodiscard]] virtual std::string describe() const = 0;  ///< the URL, passwords masked
};

}  // namespace holdfast::store
