#pragma once

#include <span>

#include "config/workflow_keys.h"

namespace holdfast::config {

/// What a declaration of a concurrency key says, in the order of the documentation.
[[nodiscard]] std::span<const WorkflowKey> key_keys();

}  // namespace holdfast::config
