#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace holdfast::crew {

/// The live processes, of any parent, whose environment has this "NAME=value".
[[nodiscard]] std::vector<pid_t> processes_with(const std::string& assignment);

/// Waits for the end of a process, a child of any process; a child of this one is not reaped. Throws
/// std::runtime_error after crew::patience.
void wait_for_end_of(pid_t pid);
/// The same for all processes with this in their environment, also for those that are started meanwhile.
void wait_for_end_of_processes_with(const std::string& assignment);

[[nodiscard]] bool is_alive(pid_t pid);
/// The live children of a process.
[[nodiscard]] std::vector<pid_t> children_of(pid_t parent);

}  // namespace holdfast::crew
