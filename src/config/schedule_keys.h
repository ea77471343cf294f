#pragma once

#include <span>

#include "config/workflow_keys.h"

namespace holdfast::config {

/// The keys of a schedule, in the order of the documentation.
[[nodiscard]] std::span<const WorkflowKey> schedule_keys();

}  // namespace holdfast::config
