#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace holdfast::config {

/// The environment variables of the worker from which the tasks and workflows of the file read secrets (`env:NAME`).
[[nodiscard]] std::vector<std::string> secret_variables(const Config& config);

}  // namespace holdfast::config
