#pragma once

#include "config/config.h"
#include "runner/container_tool.h"

namespace holdfast::server {

/// Returns the tool that runs and removes containers, as this configuration defines it.
[[nodiscard]] inline runner::ContainerTool container_tool(const config::WorkerConfig& config) {
    std::vector<std::string> command = config.container_command;
    command.insert(command.end(), config.container_options.begin(), config.container_options.end());
    return {.command = std::move(command), .run_options = config.container_run_options};
}

}  // namespace holdfast::server
