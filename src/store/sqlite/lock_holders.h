#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::sqlite {

/// The processes that have the file, or a part of it, locked against all others, as /proc/locks tells; without those
/// that this process cannot see (of another container, say). With `byte`: only those that have that byte. Opening the
/// file to ask would, when this process closes it again, drop the locks that it has on it itself.
[[nodiscard]] std::vector<pid_t> lock_holders(const std::string& file, std::optional<std::uint64_t> byte = {});

[[nodiscard]] bool has_locked(pid_t pid, const std::string& file);

/// Who keeps others from writing to the database: "process 4711 (sqlite3)". A process that is inside a write
/// transaction, of whatever program, comes before one that has its turn and may only be waiting for that. "another
/// process" when it cannot be seen.
[[nodiscard]] std::string name_lock_holder(const std::string& database);

}  // namespace holdfast::sqlite
