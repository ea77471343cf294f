#pragma once

#include "config/config.h"
#include "runner/container_tool.h"

namespace holdfast::server {

/// How containers are run and removed by this configuration.
[[nodiscard]] runner::ContainerTool container_tool(const config::WorkerConfig& config);

}  // namespace holdfast::server
