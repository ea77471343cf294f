#pragma once

#include <cstddef>
#include <string>

#include "core/workflow/workflow.h"

namespace holdfast::bench {

enum class JobShape { Independent, Chain, FanIn };
[[nodiscard]] const char* to_text(JobShape shape);  ///< "independent steps", "chain", "fan-in"

/// A workflow of so many steps, each a no-op; a fan-in has one more step at the end, with the arguments `last_args`.
[[nodiscard]] std::string job_definition(JobShape shape, std::size_t steps, const std::string& last_args);

}  // namespace holdfast::bench
