#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/workflow/plan.h"
#include "store/jobs/job_tables.h"

namespace holdfast::store {

/// A step's row with what its task and its child job add to it, as a store reads them.
struct ReadStep {
    StepRow row = {};
    std::optional<Timestamp> task_started_at = {};  ///< of its task's first run
    int ended_runs = 0;                             ///< its task's attempts and crashes
    bool task_runs = false;                         ///< under a lease that has started
    std::string task_result = {};
    std::optional<TaskError> task_error = {};
    std::optional<Progress> progress = {};
    std::optional<Timestamp> child_started_at = {};
    std::string child_output = {};
};

/// The steps as people see them: a task step is RUNNING from its task's first start on, a for_each counts its items
/// and gives their outputs by index. `rows` are by step and item, with all items of every step among them; `plan` is
/// nullptr when the definition cannot be read: the steps then go by their numbers.
[[nodiscard]] std::vector<StepInfo> step_infos(const std::vector<ReadStep>& rows, const core::WorkflowPlan* plan,
                                               bool with_items);

/// The job as people see it, without the name of its parent step and the counts of its steps.
[[nodiscard]] JobInfo job_info(const JobRow& job);

/// "fetch", "fetch[3]"; "#0", "#0[3]" when there is no such plan.
[[nodiscard]] std::string step_name(const core::WorkflowPlan* plan, int step, int item);

/// Does a RUNNING step of this number, or an item of it, wait for a person's decision?
[[nodiscard]] bool is_approval(const core::WorkflowPlan* plan, int step, bool is_item);

/// Counts `number` more in `state`.
void add_to(StepCounts& counts, StepState state, int number);

}  // namespace holdfast::store
