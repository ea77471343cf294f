#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace holdfast::core {

/// The value as it was found, short enough for a sentence.
[[nodiscard]] std::string found(const nlohmann::json& value);

}  // namespace holdfast::core
