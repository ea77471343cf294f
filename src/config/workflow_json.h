#pragma once

#include <nlohmann/json.hpp>

#include "config/source_node.h"

namespace holdfast::config {

/// What a node of a file stands for in JSON, by YAML's rules: text in quotes is text; without them `null`, `true`,
/// `false` and numbers are what they look like.
[[nodiscard]] nlohmann::json json_of(const SourceNode& node);

}  // namespace holdfast::config
