#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace holdfast::platform {

// ---- Processes of this machine, as far as this process may see them ---------------------------------------------

struct ProcessEntry {
    pid_t pid = 0;
    pid_t parent = 0;
    char state = '?';           ///< 'Z': all of its threads are dead and it waits to be reaped
    std::uint64_t started = 0;  ///< distinguishes processes that had the same pid
    int threads = 1;
};

/// Read from /proc. A process that starts or ends meanwhile may be missing.
[[nodiscard]] std::vector<ProcessEntry> list_processes();
[[nodiscard]] std::optional<ProcessEntry> find_process(pid_t pid);

/// The children of `ancestor` that `counts` selects (empty: all), and all of their descendants.
[[nodiscard]] std::vector<ProcessEntry> descendants_of(pid_t ancestor, const std::function<bool(pid_t)>& counts = {});

/// The newest pid. While it stays the same, no process and no thread was started on this machine, or in this
/// container. 0: unknown.
[[nodiscard]] pid_t last_pid();

/// Bytes in memory of the process; 0 when it is gone.
[[nodiscard]] std::int64_t resident_bytes(pid_t pid);

/// Whether the environment that the process was started with has this "NAME=value".
[[nodiscard]] bool environment_has(pid_t pid, std::string_view assignment);

// ---- Signals to them --------------------------------------------------------------------------------------------

/// Sends a signal to exactly this process: not to a later one with its pid. False when it is gone.
bool send_signal(const ProcessEntry& process, int signal);

/// Sends a signal to every descendant of this process, whatever its group or session. `counts` selects among the
/// children of this process; empty: all. Returns how many there were, without zombies.
std::size_t signal_descendants(int signal, const std::function<bool(pid_t)>& counts = {});

/// Kills and reaps all children and descendants of this process, which must be a child subreaper, until none is left.
/// Waits only for children of this process.
void kill_all_descendants();

/// The environment variable that identifies every process of a worker's runners.
inline constexpr std::string_view worker_variable = "HOLDFAST_WORKER";

/// Kills all processes of this machine, except this one, that carry HOLDFAST_WORKER=`worker` in their environment,
/// with their descendants, until none is visible or one does not die for `patience_seconds`. Returns how many are
/// left: those that do not die, or that this user may not kill.
[[nodiscard]] std::size_t kill_processes_of_worker(std::string_view worker, int patience_seconds = 5);

}  // namespace holdfast::platform
