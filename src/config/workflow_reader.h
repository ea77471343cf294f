#pragma once

#include <string>

#include "config/workflow_complaints.h"
#include "config/workflow_step_reader.h"
#include "core/workflow/workflow.h"

namespace holdfast::config {

/// Reads one workflow as far as it can be read. `extra_keys` may stand beside the keys of a workflow; they are left
/// to the caller.
[[nodiscard]] core::Workflow read_workflow(const SourceNode& node, const std::string& name,
                                           const std::vector<std::string>& extra_keys, const KnownTasks& tasks,
                                           WorkflowComplaints& complaints);

/// Tells what core::workflow_faults found, where it stands in the file.
void tell_faults(const std::vector<core::WorkflowFault>& faults, const SourceNode& node,
                 WorkflowComplaints& complaints);

}  // namespace holdfast::config
