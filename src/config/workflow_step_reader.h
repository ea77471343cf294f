#pragma once

#include <optional>
#include <set>
#include <string>

#include "config/catalog.h"
#include "config/workflow_complaints.h"
#include "core/workflow/workflow.h"

namespace holdfast::config {

/// The tasks that steps may name.
struct KnownTasks {
    Catalog catalog;
    std::set<std::string> faulty;  ///< defined, but not so that they could be read
};

/// Reads one step, or one hook. `inline_name` is what its task is called if it is defined in place.
[[nodiscard]] core::WorkflowStep read_step(const SourceNode& node, std::string name, std::string inline_name,
                                           const KnownTasks& tasks, WorkflowComplaints& complaints);

/// The names of a list, or the one name that stands in its place.
[[nodiscard]] std::vector<std::string> read_step_names(const SourceNode& node, WorkflowComplaints& complaints);

}  // namespace holdfast::config
