#pragma once

#include <map>
#include <string>

#include "core/workflow/workflow.h"
#include "holdfast/job.h"

namespace holdfast::core {

/// The steps of a workflow for people: one line each, in layers: a step stands in the first layer below all that it
/// depends on. With `states` (by the names of steps, and of hooks as a job has them: "on_error", or "on_error-1" of
/// several) each line shows its state.
[[nodiscard]] std::string graph_text(const Workflow& workflow, const std::map<std::string, StepState>* states);

/// The same as a graph in the language of Graphviz; with `states`, coloured.
[[nodiscard]] std::string graph_dot(const Workflow& workflow, const std::map<std::string, StepState>* states);

}  // namespace holdfast::core
