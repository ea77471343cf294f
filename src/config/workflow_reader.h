#pragma once

#include <string>

#include "config/workflow_complaints.h"
#include "config/workflow_step_reader.h"
#include "core/workflow/workflow.h"

namespace holdfast::config {

/// Reads one workflow, skipping invalid parts. `extra_keys` are allowed beside the keys of a workflow; the caller
/// handles them.
[[nodiscard]] core::Workflow read_workflow(const SourceNode& node, const std::string& name,
                                           const std::vector<std::string>& extra_keys, const KnownTasks& tasks,
                                           WorkflowComplaints& complaints);

/// Reports the faults that core::workflow_faults found, at their positions in the file.
void tell_faults(const std::vector<core::WorkflowFault>& faults, const SourceNode& node,
                 WorkflowComplaints& complaints);

}  // namespace holdfast::config
