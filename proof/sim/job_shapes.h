#pragma once

#include "core/workflow/workflow.h"
#include "proof/sim/dice.h"

namespace holdfast::sim {

/// A random valid workflow: joins, children, for_each, waits, approvals, hooks. `keys`: concurrency keys, the n-th
/// with the limit n + 1.
[[nodiscard]] core::WorkflowBundle draw_workflow(Dice& dice, const std::vector<std::string>& queues,
                                                 const std::vector<std::string>& keys);

/// A workflow of one or two steps, for schedules.
[[nodiscard]] core::WorkflowBundle draw_small_workflow(Dice& dice, const std::vector<std::string>& queues);

/// The number of a step or hook in its job, as the store counts them; -1: not found.
[[nodiscard]] int number_of_step(const core::Workflow& workflow, const std::string& name);

}  // namespace holdfast::sim
