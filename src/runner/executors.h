#pragma once

#include "core/task/task_spec.h"
#include "holdfast/function.h"
#include "runner/container_tool.h"
#include "runner/outcome.h"
#include "runner/task_limits.h"
#include "runner/worker_environment.h"

namespace holdfast::runner {

class Pulse;

/// What a runner has for the execution of its runs.
struct RunSite {
    Pulse& pulse;
    const WorkerEnvironment& worker;
    TaskLimits& limits;
    std::string folder;  ///< a run may create and remove this directory
    ContainerTool containers;
    std::int64_t max_payload;  ///< bytes, of a result or a checkpoint
};

// They execute a run in the runner's main thread. Their caller kills processes that the run leaves behind.

/// Runs a function of the application.
[[nodiscard]] Outcome execute_function(engine::RunOrder order, const FunctionTable& functions, const RunSite& site);

/// Runs a script on this machine as the leader of a session of its own; or a container, or a script in a container,
/// through the engine's command, until the container is removed. Throws std::system_error.
[[nodiscard]] Outcome execute_script(const engine::RunOrder& order, const core::TaskSpec& spec, const RunSite& site);

}  // namespace holdfast::runner
