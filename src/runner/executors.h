#pragma once

#include "core/task/task_spec.h"
#include "holdfast/function.h"
#include "platform/identity.h"
#include "runner/messages.h"
#include "runner/outcome.h"
#include "runner/task_limits.h"
#include "runner/worker_environment.h"

namespace holdfast::runner {

class Pulse;

/// What a runner has for the execution of its runs.
struct RunSite {
    Pulse& pulse;
    WorkerEnvironment& worker;
    TaskLimits& limits;
    std::string folder;  ///< a run may create and remove this directory
    const PoolLimits& given;
    const std::optional<platform::Identity>&
        identity;  ///< the user that runs execute as; nullopt: that of this process

    /// Kills what the run has left behind, until nothing is left.
    void kill_leftovers() const;
};

// They execute a run in the runner's main thread. Their caller kills processes that the run leaves behind.

/// Runs a function of the application. With an identity this process becomes that user for good, and forgets the
/// withheld variables.
[[nodiscard]] Outcome execute_function(engine::RunOrder order, const FunctionTable& functions, const RunSite& site);

/// Runs a script on this machine as the leader of a session of its own; or a container, or a script in a container,
/// through the engine's command, until the container is removed. Throws std::system_error.
[[nodiscard]] Outcome execute_script(const engine::RunOrder& order, const core::TaskSpec& spec, const RunSite& site);

}  // namespace holdfast::runner
