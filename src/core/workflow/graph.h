#pragma once

#include <map>
#include <string>

#include "core/workflow/workflow.h"
#include "holdfast/job.h"

namespace holdfast::core {

/// Prints the steps of a workflow for people, one line each, in layers: a step belongs to the first layer below all
/// of its dependencies. With `states`, each line also shows the state. The keys of `states` are the names of steps,
/// and the names of hooks as a job uses them: "on_error", or "on_error-1" when there are several.
[[nodiscard]] std::string graph_text(const Workflow& workflow, const std::map<std::string, StepState>* states);

/// The same graph in the DOT language of Graphviz; with `states`, coloured by state.
[[nodiscard]] std::string graph_dot(const Workflow& workflow, const std::map<std::string, StepState>* states);

}  // namespace holdfast::core
