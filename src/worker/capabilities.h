#pragma once

#include <string>
#include <vector>

#include "holdfast/function.h"
#include "holdfast/worker.h"

namespace holdfast::worker {

struct CapabilityParams {
    Isolation isolation = Isolation::Process;
    std::vector<std::string> tags = {};               ///< the configured tags
    std::vector<std::string> container_command = {};  ///< the first words of a command line: docker, with its options
    Duration patience = std::chrono::seconds(10);     ///< how long that command may take to answer
};

/// The tags that the worker carries, all different: "script", where processes can run; "docker", when the container
/// command answers; "task:NAME" for each function; and those that are configured.
[[nodiscard]] std::vector<std::string> detect_capabilities(const CapabilityParams& params,
                                                           const FunctionTable& functions);

/// Whether `command ps -q` ends with exit code 0 in time, so that its engine answers.
[[nodiscard]] bool answers(const std::vector<std::string>& container_command, Duration patience);

}  // namespace holdfast::worker
