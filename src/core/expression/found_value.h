#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace holdfast::core {

/// The value as text for an error message, shortened to fit into a sentence.
[[nodiscard]] std::string found(const nlohmann::json& value);

}  // namespace holdfast::core
