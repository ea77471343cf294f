#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace holdfast::sqlite {

/// The processes that have the file, or a part of it, locked against all others, as /proc/locks tells; without those
/// that this process cannot see (of another container, say). Opening the file to ask would, when this process closes
/// it again, drop the locks that it has on it itself.
[[nodiscard]] std::vector<pid_t> lock_holders(const std::string& file);

[[nodiscard]] bool has_locked(pid_t pid, const std::string& file);

}  // namespace holdfast::sqlite
