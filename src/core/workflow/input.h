#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/workflow/workflow.h"

namespace holdfast::core {

/// Returns why a value does not fit a field, as a continuation of the field's name: "must be a text, not 7". Returns
/// nullopt when the value fits.
[[nodiscard]] std::optional<std::string> misfit(const InputField& field, const nlohmann::json& value);

/// Does the same as checked_input() for JSON text that json_fault() has accepted; given values keep their exact
/// spelling.
[[nodiscard]] Result<std::string, std::vector<std::string>> checked_input_text(const Workflow& workflow,
                                                                               std::string_view input);

}  // namespace holdfast::core
