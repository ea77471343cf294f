#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/workflow.h"

namespace holdfast::core {

/// Why a value does not fit a field, going on from the field's name: "must be a text, not 7"; nullopt when it does.
[[nodiscard]] std::optional<std::string> misfit(const InputField& field, const nlohmann::json& value);

}  // namespace holdfast::core
