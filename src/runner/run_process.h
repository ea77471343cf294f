#pragma once

#include <sys/types.h>

namespace holdfast::runner {

/// Waits for this child, and reaps orphans that this process has adopted meanwhile. Returns the status of waitpid, or
/// that of exit code 255 when the run itself has reaped it.
[[nodiscard]] int wait_for_process(pid_t child);

}  // namespace holdfast::runner
