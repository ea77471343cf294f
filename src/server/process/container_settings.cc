#include "server/process/container_settings.h"

namespace holdfast::server {

runner::ContainerTool container_tool(const config::WorkerConfig& config) {
    std::vector<std::string> command = config.container_command;
    command.insert(command.end(), config.container_options.begin(), config.container_options.end());
    return {.command = std::move(command), .run_options = config.container_run_options};
}

}  // namespace holdfast::server
