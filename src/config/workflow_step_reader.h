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
    std::set<std::string> faulty;  ///< defined, but with an invalid definition
};

/// Reads one step or hook. `inline_name` is the name of its task when that is defined in place.
[[nodiscard]] core::WorkflowStep read_step(const SourceNode& node, std::string name, std::string inline_name,
                                           const KnownTasks& tasks, WorkflowComplaints& complaints);

/// Reads a list of names, or a single name in its place.
[[nodiscard]] std::vector<std::string> read_step_names(const SourceNode& node, WorkflowComplaints& complaints);

}  // namespace holdfast::config
