#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/descriptor.h"

namespace holdfast::platform {

/// Proof that a worker lives, for the processes that share an SQLite file: a write lock on the worker's own byte of a
/// file beside the database. The kernel releases it when the last process with the descriptor is gone. The file is
/// never removed.
class LifeLock {
public:
    /// Locks the byte `number`. Throws std::system_error. A second call locks another byte as well, or, when the path
    /// leads to another file by now, a byte of that file only.
    void hold(const std::string& path, std::int64_t number);
    /// To be inherited by a process that outlives this one; -1 before hold().
    [[nodiscard]] int descriptor() const { return file_.get(); }

private:
    Descriptor file_;
};

enum class LifeLockState { Held, Free, Unknown };
/// Whether a process holds the lock. Unknown when the file is missing or cannot be read.
[[nodiscard]] LifeLockState probe_life_lock(const std::string& path, std::int64_t number);

/// The lowest number whose lock a process holds; nullopt: none, or the file is missing.
[[nodiscard]] std::optional<std::int64_t> held_life_lock(const std::string& path);

/// "<database>-workers".
[[nodiscard]] std::string life_lock_path(const std::string& database);

}  // namespace holdfast::platform
