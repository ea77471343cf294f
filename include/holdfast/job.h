#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/task.h"
#include "holdfast/task_info.h"
#include "holdfast/time.h"
#include "holdfast/uuid.h"

namespace holdfast {

/// Where a job is in its life. The last three are terminal and never change.
enum class JobState {
    Pending,  ///< accepted; none of its steps has begun
    Running,
    Paused,  ///< running steps may end, no step begins; ends when no step is left to begin
    Completed,
    Failed,
    Cancelled,
};
[[nodiscard]] std::string_view to_text(JobState state);  ///< "PENDING", ...
[[nodiscard]] std::optional<JobState> parse_job_state(std::string_view text);
[[nodiscard]] bool is_terminal(JobState state);

/// Where a step of a job is. The last four are terminal and never change.
enum class StepState {
    Waiting,  ///< for the steps that it depends on, or for its turn among the items of a for_each
    Ready,    ///< its task waits for a worker, or its job is paused
    Running,  ///< also between two attempts of its task
    Completed,
    Failed,
    Skipped,  ///< it was not needed, or its dependencies did not succeed
    Cancelled,
};
[[nodiscard]] std::string_view to_text(StepState state);  ///< "WAITING", ...
[[nodiscard]] std::optional<StepState> parse_step_state(std::string_view text);
[[nodiscard]] bool is_terminal(StepState state);

/// The codes that Holdfast gives to the errors of steps and jobs, beside those of tasks.
namespace error_code {
inline constexpr std::string_view step_failed = "STEP_FAILED";
inline constexpr std::string_view success_case_not_met = "SUCCESS_CASE_NOT_MET";
inline constexpr std::string_view job_cancelled = "JOB_CANCELLED";
inline constexpr std::string_view job_timeout = "JOB_TIMEOUT";
inline constexpr std::string_view queue_timeout = "QUEUE_TIMEOUT";
inline constexpr std::string_view expression_failed = "EXPRESSION_FAILED";
inline constexpr std::string_view input_invalid = "INPUT_INVALID";
inline constexpr std::string_view step_not_accepted = "STEP_NOT_ACCEPTED";
inline constexpr std::string_view items_failed = "ITEMS_FAILED";
inline constexpr std::string_view child_job_failed = "CHILD_JOB_FAILED";
inline constexpr std::string_view approval_rejected = "APPROVAL_REJECTED";
inline constexpr std::string_view approval_timeout = "APPROVAL_TIMEOUT";
}  // namespace error_code

/// How many steps of a job are in each state. The items of a for_each count as one step.
struct StepCounts {
    int waiting = 0, ready = 0, running = 0, completed = 0, failed = 0, skipped = 0, cancelled = 0;

    [[nodiscard]] int total() const { return waiting + ready + running + completed + failed + skipped + cancelled; }
    friend bool operator==(const StepCounts&, const StepCounts&) = default;
};

/// A job as it stood when it was read.
struct JobInfo {
    Uuid id;
    std::string workflow;
    JobState state = JobState::Pending;
    std::string input;               ///< JSON text, with the defaults filled in
    std::string output;              ///< JSON text; empty unless COMPLETED
    std::optional<TaskError> error;  ///< of FAILED and CANCELLED
    bool cancel_requested = false;
    Timestamp created_at;
    std::optional<Timestamp> started_at;
    std::optional<Timestamp> finished_at;
    std::optional<Timestamp> deadline;  ///< when it times out, in the queue or as a whole
    Uuid root;                          ///< the job at the top; itself when it has no parent
    Uuid parent;                        ///< nil: none
    std::string parent_step;            ///< "report", "report[3]"
    int depth = 0;                      ///< 0 at the top
    Uuid retry_of;                      ///< nil: none
    std::vector<std::string> queues;    ///< of all tasks in its definition, sorted
    StepCounts steps;
};

/// A step of a job, or one item of a for_each, as it stood when it was read.
struct StepInfo {
    std::string name;  ///< "fetch", "fetch[3]" for an item, "on_error", "on_error-1" for hooks
    int step = 0;      ///< its place in the definition; hooks come after the steps
    int item = -1;     ///< of a for_each, from 0; -1: the step itself
    bool hook = false;
    std::string kind;  ///< "task", "workflow", "approval", "wait"
    StepState state = StepState::Waiting;
    Uuid task;         ///< nil: none (yet)
    Uuid child;        ///< the child job; nil: none (yet)
    int attempts = 0;  ///< of its task, those under way included
    std::optional<Timestamp> ready_at;
    std::optional<Timestamp> started_at;
    std::optional<Timestamp> finished_at;
    std::optional<Timestamp> wakes_at;  ///< of a wait: when it ends; of an approval: when it times out
    std::string message;                ///< of an approval: what is to be decided
    std::string output;                 ///< JSON text; empty unless COMPLETED
    std::optional<TaskError> error;
    std::optional<Progress> progress;
    StepCounts items = {};  ///< of a for_each: where its items are
};

/// Which jobs to list: all that match every member that is set. Newest first.
struct JobQuery {
    std::vector<JobState> states = {};  ///< empty: all
    std::string workflow = {};          ///< empty: all
    std::optional<Uuid> parent = {};    ///< only its children; unset: jobs at the top only
    bool with_children = false;         ///< without `parent`: children as well
    std::optional<Uuid> after = {};     ///< the last id of the page before
    std::size_t limit = 50;             ///< 1..1000
};

/// What became of an order to a job: cancel, pause, resume.
enum class SteerStatus {
    Applied,
    Already,   ///< it was so, or was asked for, before
    Finished,  ///< the job had ended
    NotFound,
};

}  // namespace holdfast
