#pragma once

#include <cstdint>
#include <optional>

#include "platform/cgroups.h"
#include "runner/tree_use.h"

namespace holdfast::runner {

/// Holds the runner and its tasks to their limits, by the runner's control group where it has one.
class TaskLimits {
public:
    /// `memory_bytes`: of tasks that name no limit; 0: none.
    TaskLimits(platform::CgroupPaths groups, std::int64_t memory_bytes);

    /// The limits of a task that names some. What is returned must be watched, because no control group does.
    [[nodiscard]] TreeLimits begin(std::optional<std::int64_t> memory_bytes, std::optional<int> processes);
    /// Back to those of the runner.
    void end();
    /// What must be watched for tasks that name no limit.
    [[nodiscard]] const TreeLimits& usual() const { return usual_; }
    /// "memory limit 512 MiB" when the kernel has killed a process of this task for it.
    [[nodiscard]] std::optional<std::string> broken_in_kernel();
    /// By any task so far: then the kernel's count of kills says nothing about the next one.
    [[nodiscard]] bool were_broken() const { return were_broken_; }

private:
    platform::CgroupPaths groups_;
    std::int64_t memory_bytes_;
    TreeLimits usual_;
    bool has_own_ = false;  // the task under way
    bool were_broken_ = false;
};

}  // namespace holdfast::runner
