#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "platform/cgroups.h"

namespace holdfast::runner {

/// What a run's processes may use together, where no control group limits them. 0: no limit.
struct TreeLimits {
    std::int64_t memory_bytes = 0;
    std::int64_t processes = 0;  ///< without the runner itself

    [[nodiscard]] bool has_any() const { return memory_bytes > 0 || processes > 0; }
};

/// The limit that this process and its descendants exceed now: "memory limit 512 MiB", "process limit 20"; nullopt:
/// none. Memory is what is resident; shared memory counts for each process.
[[nodiscard]] std::optional<std::string> broken_limit(const TreeLimits& limits);

/// Enforces the limits of the runner and its tasks, by the runner's control group where it has one.
class TaskLimits {
public:
    /// `memory_bytes`: for tasks without a limit of their own; 0: none.
    TaskLimits(platform::CgroupPaths groups, std::int64_t memory_bytes);

    /// Sets the limits of a task that has its own. Returns those that must be watched, because no control group does.
    [[nodiscard]] TreeLimits begin(std::optional<std::int64_t> memory_bytes, std::optional<int> processes);
    /// Restores the limits of the runner.
    void end();
    /// The limits that must be watched for tasks without limits of their own.
    [[nodiscard]] const TreeLimits& usual() const { return usual_; }
    /// "memory limit 512 MiB" when the kernel has killed a process of this task for exceeding it.
    [[nodiscard]] std::optional<std::string> broken_in_kernel();
    /// Whether any task was killed so far: then the kernel's count of kills tells nothing about the next one.
    [[nodiscard]] bool were_broken() const { return were_broken_; }

private:
    platform::CgroupPaths groups_;
    std::int64_t memory_bytes_;
    TreeLimits usual_;
    bool has_own_ = false;  // the task under way
    bool were_broken_ = false;
};

}  // namespace holdfast::runner
