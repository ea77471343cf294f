#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string_view>

namespace holdfast::platform {

/// The environment variable that identifies every process of a worker's runners.
inline constexpr std::string_view worker_variable = "HOLDFAST_WORKER";

/// Sends a signal to every descendant of this process, whatever its group or session. `counts` selects among the
/// children of this process; empty: all. Returns how many there were, without zombies.
std::size_t signal_descendants(int signal, const std::function<bool(pid_t)>& counts = {});

/// Kills and reaps all children and descendants of this process, which must be a child subreaper, until none is left.
/// Waits only for children of this process.
void kill_all_descendants();

/// Kills all processes of this machine, except this one, that carry HOLDFAST_WORKER=`worker` in their environment,
/// with their descendants, until none is visible or one does not die for `patience_seconds`. Returns how many are
/// left: those that do not die, or that this user may not kill.
[[nodiscard]] std::size_t kill_processes_of_worker(std::string_view worker, int patience_seconds = 5);

}  // namespace holdfast::platform
