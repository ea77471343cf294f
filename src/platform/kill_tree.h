#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string_view>

namespace holdfast::platform {

/// The environment variable by which every process of a worker's runners can be found.
inline constexpr std::string_view worker_variable = "HOLDFAST_WORKER";

/// Sends a signal to every descendant of this process, whatever its group or session, that `counts` (asked about the
/// children of this process; empty: all). How many there were, dead ones that wait to be reaped not counted.
std::size_t signal_descendants(int signal, const std::function<bool(pid_t)>& counts = {});

/// Kills and reaps all children and descendants of this process, which must be a child subreaper, until none is left.
/// Nothing but children of this process can keep it waiting.
void kill_all_descendants();

/// Kills all processes of this machine, except this one, that carry HOLDFAST_WORKER=`worker` in their environment,
/// with their descendants, until none is left that we may see or one refuses to die for `patience_seconds`.
/// How many are still there: 0 unless one refuses to die, or is not ours to kill.
[[nodiscard]] std::size_t kill_processes_of_worker(std::string_view worker, int patience_seconds = 5);

}  // namespace holdfast::platform
