#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/workflow/workflow.h"

namespace holdfast::core {

// Why no workflow could be chosen, as sentences. `where` names the place that defines them: "holdfast.yaml".

/// None of them has the name; suggests the nearest one.
[[nodiscard]] std::string unknown_workflow(const std::string& name, const std::map<std::string, Workflow>& known,
                                           std::string_view where);

/// No name was given, and there is not exactly one to take.
[[nodiscard]] std::string unnamed_workflow(const std::map<std::string, Workflow>& known, std::string_view where);

}  // namespace holdfast::core
