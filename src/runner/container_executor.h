#pragma once

#include "runner/container_tool.h"
#include "runner/executor.h"
#include "runner/secrets.h"
#include "runner/worker_environment.h"

namespace holdfast::runner {

/// Runs containers, and scripts in containers, through the engine's command. The run ends when the container is
/// removed.
class ContainerExecutor : public Executor {
public:
    /// `folder`: the executor may create and remove it. `worker` must outlive the executor.
    ContainerExecutor(std::string folder, const WorkerEnvironment& worker, ContainerTool tool,
                      std::int64_t max_payload);
    [[nodiscard]] Outcome execute(const engine::RunOrder& order, const core::TaskSpec& spec, Pulse& pulse) override;

private:
    /// Returns the exit status of the engine's command, which has ended then. `by_name`: the values of the variables
    /// that `run` only names.
    [[nodiscard]] Result<int, std::string> run_to_its_end(const ContainerRun& run, const Variables& by_name,
                                                          int input, Pulse& pulse) const;
    /// Adds output that has not arrived from the engine's log of the container.
    void complete_output(const std::string& container, Pulse& pulse) const;
    /// Returns when the container is certainly gone: until then the run has not ended.
    void remove(const store::TaskLease& lease) const;
    /// Known only while the container exists.
    [[nodiscard]] std::optional<std::string> broken_limit(const std::string& name, const core::TaskSpec& spec,
                                                          int status) const;

    std::string folder_;
    const WorkerEnvironment& worker_;
    ContainerTool tool_;
    std::int64_t max_payload_;
};

}  // namespace holdfast::runner
