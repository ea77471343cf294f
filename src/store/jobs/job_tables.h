#pragma once

#include <compare>
#include <optional>
#include <string>
#include <vector>

#include "core/workflow/plan.h"
#include "holdfast/job.h"
#include "store/event_texts.h"
#include "store/job_records.h"
#include "store/store.h"

namespace holdfast::store {

/// A step of a job, or one item of its for_each.
struct StepKey {
    Uuid job = {};
    int step = 0;
    int item = -1;  ///< -1: the step itself

    friend bool operator==(const StepKey&, const StepKey&) = default;
    // As in holdfast::Uuid: NOLINTNEXTLINE(modernize-use-nullptr)
    friend auto operator<=>(const StepKey&, const StepKey&) = default;
};

/// What never changes about a job: its row in `job`.
struct JobHead {
    Uuid id = {};
    Uuid definition = {};       ///< the id of the text in `workflow_definition`
    std::string workflow = {};  ///< its name in the bundle
    std::string input = {};     ///< JSON text, defaults filled in
    Uuid root = {};
    std::optional<StepKey> parent = {};
    int depth = 0;
    Uuid retry_of = {};
    Timestamp created_at = {};
    std::optional<Duration> timeout = {};  ///< from its start; for the deadline
};

/// What changes about a job: its row in `job_progress`, small, so that rewriting it is cheap.
struct JobProgress {
    JobState state = JobState::Pending;
    std::string cancel_code = {};    ///< JOB_CANCELLED, JOB_TIMEOUT, QUEUE_TIMEOUT; empty: no cancel is requested
    std::string cancel_reason = {};  ///< the sentence that the job will end with
    int open_steps = 0;              ///< steps that have not ended
    int failed_steps = 0;            ///< FAILED or CANCELLED, without the optional ones
    int first_failed = -1;           ///< the step that failed first
    std::optional<Timestamp> started_at = {};
    std::optional<Timestamp> finished_at = {};
    std::optional<Timestamp> deadline = {};  ///< queue_timeout while PENDING, then timeout; none once it has ended
    std::string output = {};                 ///< JSON text, of COMPLETED
    std::optional<TaskError> error = {};
};

struct JobRow {
    JobHead head = {};
    JobProgress progress = {};
};

/// A row of `step`.
struct StepRow {
    StepKey key = {};
    StepState state = StepState::Waiting;  ///< of a task step: READY until it ends; RUNNING is told by its task
    core::EndCounts ends = {};  ///< while WAITING: of its dependencies; once a for_each is RUNNING: of its items
    int begun_items = 0;        ///< of a RUNNING for_each: the items before this one have begun
    int under_way = 0;          ///< ... and so many of those have not ended
    Uuid task = {};             ///< nil: none
    Uuid child = {};            ///< the child job; nil: none
    std::optional<Timestamp> ready_at = {};
    std::optional<Timestamp> finished_at = {};
    std::optional<Timestamp> wakes_at = {};  ///< of a RUNNING wait or approval
    std::string value = {};  ///< JSON text: of an item, what the list holds at its place; of an approval, its message
    std::string output = {};  ///< JSON text, of what is neither a task nor a child job, or was adopted; empty: none
    std::optional<TaskError> error = {};  ///< when it is not its task's own
};

/// A task that has ended in this transaction.
struct JustEnded {
    Uuid task = {};
    TaskState state = TaskState::Completed;
};

/// The tables of jobs as the Orchestrator sees them, inside one transaction of a store. The caller holds the lock of
/// every job tree that it touches (SQLite: there is one writer; PostgreSQL: the root's row in job_progress, FOR
/// UPDATE, taken after leases and before everything else).
class JobTables {
public:
    virtual ~JobTables() = default;

    // Reading. What is not there is left out of the answer.
    virtual std::vector<JobRow> load_jobs(const std::vector<Uuid>& jobs) = 0;
    virtual std::vector<StepRow> load_steps(const std::vector<StepKey>& steps) = 0;
    /// Every step of the job itself, without items, by its number.
    virtual std::vector<StepRow> load_all_steps(const Uuid& job) = 0;
    /// The items of a step, by their number.
    virtual std::vector<StepRow> load_items(const Uuid& job, int step) = 0;
    virtual std::vector<StepRow> steps_of_tasks(const std::vector<Uuid>& tasks) = 0;
    /// The children of the job that have not ended.
    virtual std::vector<Uuid> open_children(const Uuid& job) = 0;
    /// JSON text; empty: there is none (any more).
    virtual std::string definition_text(const Uuid& definition) = 0;
    /// How a task ended; nullopt: it has not, or does not exist.
    struct TaskEnd {
        Uuid task = {};
        TaskState state = TaskState::Completed;
        std::optional<std::string> result = {};  ///< nullopt: none is stored
        std::optional<TaskError> error = {};
    };
    virtual std::vector<TaskEnd> task_ends(const std::vector<Uuid>& tasks) = 0;
    /// Those of the tasks that there are, ended or not.
    virtual std::vector<Uuid> existing_tasks(const std::vector<Uuid>& tasks) = 0;
    /// Was a task or job removed whose id is `id` or higher? Then `id` itself may have been, when it is not there.
    virtual bool is_pruned_up_to(const Uuid& id) = 0;

    // Writing, in this order: definitions, jobs, steps, tasks, events. Batches as large as they come.
    /// Unless it is there. `queues`: core::queues_of it.
    virtual void insert_definition(const Uuid& definition, const std::string& text,
                                   const std::vector<std::string>& queues) = 0;
    virtual void insert_jobs(const std::vector<JobRow>& jobs) = 0;
    virtual void save_jobs(const std::vector<JobRow>& jobs) = 0;  ///< the progress
    virtual void insert_steps(const std::vector<StepRow>& steps) = 0;
    virtual void save_steps(const std::vector<StepRow>& steps) = 0;
    /// As submit does it, inside this transaction.
    virtual std::vector<SubmitOutcome> submit_tasks(const std::vector<NewTask>& tasks) = 0;
    /// Takes the tasks of these jobs (not of their children) out of reach: PENDING ones wait for `job`; leases that
    /// have not started are to be handed back, because their start will be answered with Withdrawn.
    virtual void hold_tasks(const std::vector<Uuid>& jobs) = 0;
    /// Puts what hold_tasks took away back to where its time says.
    virtual void release_tasks(const std::vector<Uuid>& jobs) = 0;
    virtual void write_events(const std::vector<NewEvent>& events) = 0;
};

}  // namespace holdfast::store
