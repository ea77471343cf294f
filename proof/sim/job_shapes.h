#pragma once

#include "core/workflow/workflow.h"
#include "proof/sim/dice.h"

namespace holdfast::sim {

/// A workflow of any shape that is allowed: joins, children, for_each, waits, approvals, hooks. `keys`: of
/// concurrency, the n-th with the limit n + 1.
[[nodiscard]] core::WorkflowBundle draw_workflow(Dice& dice, const std::vector<std::string>& queues,
                                                 const std::vector<std::string>& keys);

/// One of a step or two, as schedules start them.
[[nodiscard]] core::WorkflowBundle draw_small_workflow(Dice& dice, const std::vector<std::string>& queues);

/// The number of a step or hook in its job, as the store counts them; -1: there is none.
[[nodiscard]] int number_of_step(const core::Workflow& workflow, const std::string& name);

}  // namespace holdfast::sim
