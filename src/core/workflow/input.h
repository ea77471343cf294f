#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/workflow/workflow.h"

namespace holdfast::core {

/// Why a value does not fit a field, going on from the field's name: "must be a text, not 7"; nullopt when it does.
[[nodiscard]] std::optional<std::string> misfit(const InputField& field, const nlohmann::json& value);

/// checked_input() of JSON text in which json_fault() finds nothing: what is given stays as it is written.
[[nodiscard]] Result<std::string, std::vector<std::string>> checked_input_text(const Workflow& workflow,
                                                                               std::string_view input);

}  // namespace holdfast::core
