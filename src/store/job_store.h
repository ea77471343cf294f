#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/job.h"
#include "store/task_records.h"

namespace holdfast::store {

// ---- Parameters and answers, one pair per verb, in the order of the verbs -----------------------------------------

/// A job as it is started.
struct NewJob {
    Uuid id = {};
    std::string definition = {};  ///< JSON text: core::to_json_text of the workflow's bundle
    std::string input = "{}";     ///< JSON text
    std::string who = {};         ///< for the event
    Uuid retry_of = {};           ///< set by retry_job
};

/// An order to jobs. Children follow their parents.
struct SteerJobsParams {
    std::vector<Uuid> jobs = {};
    std::string who = {};
    std::string reason = {};
};

struct DecideParams {
    Uuid job = {};
    std::string step = {};  ///< "release", "release[2]"
    bool approve = true;
    std::string who = {};
    std::string reason = {};
};
enum class DecideStatus { Applied, Already, NotWaiting, NotFound };

struct RetryJobParams {
    Uuid job = {};
    Uuid new_id = {};  ///< the same again is harmless
    std::string who = {};
};
enum class RetryStatus { Started, NotEnded, Completed, NotFound };

struct StepsParams {
    Uuid job = {};
    bool with_items = true;                ///< false: a for_each is one row with its counts
    std::optional<std::string> step = {};  ///< only this one, with its items
};

struct JobEventsParams {
    Uuid job = {};
    std::int64_t after_id = 0;
    std::size_t limit = 1000;
};

/// What one pass of repair found and mended; one sentence each has been written as an event of its job.
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
struct RepairParams {
    Uuid after = {};          ///< the last root job of the pass before; nil: from the beginning
    std::size_t limit = 100;  ///< root jobs looked at in this call, each in a transaction of its own
    std::string who = {};
};

// ---- Schedules ----------------------------------------------------------------------------------------------------

/// When and what a schedule starts.
struct ScheduleDefinition {
    std::string name = {};
    std::string timing = {};      ///< JSON text: core::to_json_text(ScheduleTiming)
    std::string definition = {};  ///< of the job
    std::string input = "{}";

    friend bool operator==(const ScheduleDefinition&, const ScheduleDefinition&) = default;
};
struct ScheduleRecord {
    ScheduleDefinition schedule = {};
    bool paused = false;
    Timestamp created_at = {};
    Timestamp decided_until = {};  ///< every slot up to this one has been fired, skipped or missed
    Uuid last_job = {};            ///< of its last slot that started one; nil: none
    std::optional<JobState> last_state = {};
};
/// What is to become of a schedule's slots, decided by a scheduler from the record that it names.
struct FireParams {
    std::string schedule = {};
    Timestamp decided_until = {};  ///< as in the record it was decided from: another one since refutes it
    Timestamp decide_until = {};   ///< ... and as it is to be afterwards
    std::optional<Uuid> job = {};  ///< the id of the slot's job; nullopt: none is started
    bool cancel_previous = false;
    std::string who = {};
    std::string note = {};  ///< for an event, when slots were missed or skipped; empty: none
};

/// Jobs, their steps and their schedules: the second half of a store, over the same transactions. A task that belongs
/// to a step and ends, whoever ends it, advances its job in the transaction that ends it.
class JobStore {
public:
    virtual ~JobStore() = default;

    // Jobs
    virtual std::vector<SubmitOutcome> start_jobs(const std::vector<NewJob>& jobs) = 0;
    virtual std::vector<std::optional<JobInfo>> find_jobs(const std::vector<Uuid>& ids) = 0;
    /// Newest first (by id, descending).
    virtual std::vector<JobInfo> list_jobs(const JobQuery& query) = 0;
    /// Ids that begin so (hexadecimal digits and dashes), at most `limit`.
    virtual std::vector<Uuid> jobs_with_prefix(const std::string& prefix, std::size_t limit) = 0;
    /// In the order of the definition, items after their step, hooks last.
    virtual std::vector<StepInfo> steps(const StepsParams& params) = 0;
    /// The text that the job was started with: its bundle. Empty: no such job.
    virtual std::string job_definition(const Uuid& job) = 0;
    /// What the engine did to the job and to the tasks of its steps, oldest first: the log of `_server`.
    virtual std::vector<EventRecord> job_events(const JobEventsParams& params) = 0;
    /// The job that a task belongs to, and its step's name; nullopt: none.
    virtual std::optional<std::pair<Uuid, std::string>> step_of_task(const Uuid& task) = 0;

    virtual std::vector<SteerStatus> cancel_jobs(const SteerJobsParams& params) = 0;
    /// When it returns, no task of these jobs starts any more until they are resumed.
    virtual std::vector<SteerStatus> pause_jobs(const SteerJobsParams& params) = 0;
    virtual std::vector<SteerStatus> resume_jobs(const SteerJobsParams& params) = 0;
    virtual DecideStatus decide_approval(const DecideParams& params) = 0;
    /// Starts a new job that adopts what succeeded in a FAILED or CANCELLED one.
    virtual RetryStatus retry_job(const RetryJobParams& params) = 0;

    // Recovery
    /// Ends waits whose time has come and approvals that nobody gave in time; how many.
    virtual std::size_t end_due_waits(std::size_t limit) = 0;
    /// Cancels jobs that have run, or queued, for too long; how many.
    virtual std::size_t cancel_overdue_jobs(std::size_t limit, const std::string& who) = 0;
    /// Finds what the transactions should have made impossible, and mends it all the same.
    virtual RepairAnswer repair_jobs(const RepairParams& params) = 0;

    // Schedules
    /// Makes or changes a schedule; one that is unchanged stays as it is. New ones start counting now.
    virtual void put_schedule(const ScheduleDefinition& schedule, const std::string& who) = 0;
    /// By name.
    virtual std::vector<ScheduleRecord> schedules() = 0;
    /// False: no such schedule.
    virtual bool set_schedule_paused(const std::string& schedule, bool paused, const std::string& who) = 0;
    virtual bool remove_schedule(const std::string& schedule, const std::string& who) = 0;
    /// Starts the slot's job and moves on, in one transaction; false: another scheduler has, or it is paused or gone.
    virtual bool fire(const FireParams& params) = 0;
};

}  // namespace holdfast::store
