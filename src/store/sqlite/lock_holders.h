#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::sqlite {

/// The processes that hold an exclusive lock on the file, or on a part of it, by /proc/locks; with `byte`, only those
/// that hold that byte. Processes that this one cannot see (in another container) are missing. Does not open the
/// file: closing it again would drop the locks that this process itself has on it.
[[nodiscard]] std::vector<pid_t> lock_holders(const std::string& file, std::optional<std::uint64_t> byte = {});

[[nodiscard]] bool has_locked(pid_t pid, const std::string& file);

/// The process that keeps others from writing to the database: "process 4711 (sqlite3)"; "another process" when it
/// cannot be seen. A process inside a write transaction, of any program, is named before one that only has the
/// writers' turn, because that may be waiting for the transaction.
[[nodiscard]] std::string name_lock_holder(const std::string& database);

}  // namespace holdfast::sqlite
