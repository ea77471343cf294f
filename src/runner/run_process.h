#pragma once

#include <sys/types.h>

#include <string>

#include "base/descriptor.h"

namespace holdfast::runner {

/// An unnamed file with this text. Unlike a pipe it holds any length without a reader. Throws std::system_error.
[[nodiscard]] Descriptor readable_file(const std::string& text);

/// Waits for this child, and reaps orphans that this process has adopted meanwhile. Returns the status of waitpid, or
/// that of exit code 255 when the run itself has reaped it.
[[nodiscard]] int wait_for_process(pid_t child);

}  // namespace holdfast::runner
