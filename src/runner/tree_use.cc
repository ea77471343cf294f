#include "runner/tree_use.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/process_table.h"
#include "runner/texts.h"

namespace holdfast::runner {

namespace {

// Spares the many runs without child processes a scan of the process table.
bool has_children() {
    siginfo_t ignored{};
    return waitid(P_ALL, 0, &ignored, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0 || errno != ECHILD;
}

}  // namespace

TreeUse measure_tree() {
    TreeUse use{platform::resident_bytes(getpid()), 0};
    if (!has_children()) return use;
    for (const auto& process : platform::descendants_of(getpid())) {
        use.memory_bytes += platform::resident_bytes(process.pid);
        if (process.state != 'Z') ++use.processes;
    }
    return use;
}

std::optional<std::string> broken_limit(const TreeUse& use, const TreeLimits& limits) {
    if (limits.memory_bytes > 0 && use.memory_bytes > limits.memory_bytes)
        return memory_limit_text(limits.memory_bytes);
    if (limits.processes > 0 && use.processes > limits.processes) return process_limit_text(limits.processes);
    return std::nullopt;
}

}  // namespace holdfast::runner
