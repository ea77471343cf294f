#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::platform {

/// A process of this machine, as far as this process may see it.
struct ProcessEntry {
    pid_t pid = 0;
    pid_t parent = 0;
    char state = '?';           ///< 'Z': all of its threads are dead and it waits to be reaped
    std::uint64_t started = 0;  ///< distinguishes processes that had the same pid
};

/// Read from /proc. A process that starts or ends meanwhile may be missing.
[[nodiscard]] std::vector<ProcessEntry> list_processes();
[[nodiscard]] std::optional<ProcessEntry> find_process(pid_t pid);

/// The children of `ancestor` that `counts` selects (empty: all), and all of their descendants.
[[nodiscard]] std::vector<ProcessEntry> descendants_of(pid_t ancestor, const std::function<bool(pid_t)>& counts = {});

/// Sends a signal to exactly this process: not to a later one with its pid. False when it is gone.
bool send_signal(const ProcessEntry& process, int signal);

/// Bytes in memory of the process; 0 when it is gone.
[[nodiscard]] std::int64_t resident_bytes(pid_t pid);

/// Whether the environment that the process was started with has this "NAME=value".
[[nodiscard]] bool environment_has(pid_t pid, std::string_view assignment);

}  // namespace holdfast::platform
