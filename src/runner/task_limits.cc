#include "runner/task_limits.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "platform/process_table.h"
#include "runner/texts.h"

namespace holdfast::runner {

namespace {

// Spares the many runs without child processes a scan of the process table.
bool has_children() {
    siginfo_t ignored{};
    return waitid(P_ALL, 0, &ignored, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0 || errno != ECHILD;
}

std::optional<std::int64_t> if_any(std::int64_t limit) {
    return limit > 0 ? std::optional(limit) : std::nullopt;
}

}  // namespace

std::optional<std::string> broken_limit(const TreeLimits& limits) {
    std::int64_t memory_bytes = platform::resident_bytes(getpid());
    std::int64_t processes = 0;
    if (has_children())
        for (const auto& process : platform::descendants_of(getpid())) {
            memory_bytes += platform::resident_bytes(process.pid);
            if (process.state != 'Z') ++processes;
        }
    if (limits.memory_bytes > 0 && memory_bytes > limits.memory_bytes) return memory_limit_text(limits.memory_bytes);
    if (limits.processes > 0 && processes > limits.processes) return concat("process limit ", limits.processes);
    return std::nullopt;
}

TaskLimits::TaskLimits(platform::CgroupPaths groups, std::int64_t memory_bytes)
    : groups_(std::move(groups)), memory_bytes_(memory_bytes) {
    if (memory_bytes_ > 0 && !platform::set_memory_limit(groups_, memory_bytes_)) usual_.memory_bytes = memory_bytes_;
}

TreeLimits TaskLimits::begin(std::optional<std::int64_t> memory_bytes, std::optional<int> processes) {
    TreeLimits watched = usual_;
    has_own_ = memory_bytes || processes;
    if (memory_bytes) watched.memory_bytes = platform::set_memory_limit(groups_, memory_bytes) ? 0 : *memory_bytes;
    if (processes) {
        // The limit also counts threads, including those of the runner.
        const std::int64_t most = platform::process_count(groups_) + *processes;
        watched.processes = platform::set_process_limit(groups_, most) ? 0 : *processes;
    }
    return watched;
}

void TaskLimits::end() {
    if (!has_own_) return;
    platform::set_memory_limit(groups_, if_any(memory_bytes_));
    platform::set_process_limit(groups_, std::nullopt);
}

std::optional<std::string> TaskLimits::broken_in_kernel() {
    were_broken_ = platform::out_of_memory_kills(groups_) > 0;
    if (!were_broken_) return std::nullopt;
    return memory_limit_text(platform::memory_limit_of(groups_).value_or(0));
}

}  // namespace holdfast::runner
