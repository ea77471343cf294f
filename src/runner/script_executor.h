#pragma once

#include "runner/executor.h"
#include "runner/task_limits.h"
#include "runner/worker_environment.h"

namespace holdfast::runner {

/// Runs scripts on this machine, each as the leader of a session of its own.
class ScriptExecutor : public Executor {
public:
    /// `folder`: the executor may create and remove it. `worker` and `limits` must outlive the executor.
    ScriptExecutor(std::string folder, const WorkerEnvironment& worker, TaskLimits& limits, std::int64_t max_payload);
    [[nodiscard]] Outcome execute(const engine::RunOrder& order, const core::TaskSpec& spec, Pulse& pulse) override;

private:
    std::string folder_;
    const WorkerEnvironment& worker_;
    TaskLimits& limits_;
    std::int64_t max_payload_;
};

}  // namespace holdfast::runner
