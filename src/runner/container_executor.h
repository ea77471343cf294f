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
    /// `folder`: may be made and removed at will. `worker` outlives it.
    ContainerExecutor(std::string folder, const WorkerEnvironment& worker, ContainerTool tool,
                      std::int64_t max_payload);
    [[nodiscard]] Outcome execute(const engine::RunOrder& order, const core::TaskSpec& spec, Pulse& pulse) override;

private:
    /// What the engine's command ended with; it must be there no more afterwards. `by_name`: the values of the
    /// variables that `run` only names.
    [[nodiscard]] Result<int, std::string> run_to_its_end(const ContainerRun& run, const Variables& by_name,
                                                          int input, Pulse& pulse) const;
    /// Looks in the engine's log of the container for output that has not arrived.
    void complete_output(const std::string& container, Pulse& pulse) const;
    /// Returns when the container is gone for certain: until then the run has not ended.
    void remove(const store::TaskLease& lease) const;
    /// Known only while the container is there.
    [[nodiscard]] std::optional<std::string> broken_limit(const std::string& name, const core::TaskSpec& spec,
                                                          int status) const;

    std::string folder_;
    const WorkerEnvironment& worker_;
    ContainerTool tool_;
    std::int64_t max_payload_;
};

}  // namespace holdfast::runner
