#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/workflow/workflow.h"

namespace holdfast::core {

// Error sentences for a workflow that could not be chosen. `where` names the place of the definitions:
// "holdfast.yaml".

/// The error for a name that is not defined there; suggests the nearest name.
[[nodiscard]] std::string unknown_workflow(const std::string& name, const std::map<std::string, Workflow>& known,
                                           std::string_view where);

/// The error for a missing name where the place does not define exactly one workflow.
[[nodiscard]] std::string unnamed_workflow(const std::map<std::string, Workflow>& known, std::string_view where);

}  // namespace holdfast::core
