#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace holdfast::config {

/// The environment variables of the worker that the tasks and workflows of the file read secrets from (`env:NAME`).
[[nodiscard]] std::vector<std::string> secret_variables(const Config& config);

}  // namespace holdfast::config
