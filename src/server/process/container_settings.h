#pragma once

#include "config/config.h"
#include "runner/container_tool.h"

namespace holdfast::server {

/// Returns the tool that runs and removes containers, as this configuration defines it.
[[nodiscard]] runner::ContainerTool container_tool(const config::WorkerConfig& config);

}  // namespace holdfast::server
