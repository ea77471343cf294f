#pragma once

#include <nlohmann/json.hpp>

#include "config/source_node.h"

namespace holdfast::config {

/// Converts a node of a file to JSON by the rules of YAML: quoted text is text; unquoted `null`, `true`, `false` and
/// numbers have their own types.
[[nodiscard]] nlohmann::json json_of(const SourceNode& node);

}  // namespace holdfast::config
