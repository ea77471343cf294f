#pragma once

#include "config/config.h"
#include "engine/recovery/sweeper.h"
#include "runner/container_tool.h"

namespace holdfast::api {

/// How recovery behaves by this configuration.
[[nodiscard]] engine::SweepSettings sweep_settings(const config::Config& config);

/// How containers are run and removed by this configuration.
[[nodiscard]] runner::ContainerTool container_tool(const config::WorkerConfig& config);

}  // namespace holdfast::api
