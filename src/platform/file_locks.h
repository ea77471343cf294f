#pragma once

#include <sys/types.h>

#include <string>

namespace holdfast::platform {

/// Whether the process has the file, or a part of it, locked against all others, as /proc/locks tells. Opening the
/// file to ask would, when this process closes it again, drop the locks that it has on it itself.
[[nodiscard]] bool has_locked(pid_t pid, const std::string& file);

}  // namespace holdfast::platform
