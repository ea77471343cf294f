#pragma once

#include <sys/types.h>

#include <string>

#include "base/descriptor.h"

namespace holdfast::runner {

/// A file without a name, with this text to read: however long it is, nobody has to wait for a run to read it.
/// Throws std::system_error.
[[nodiscard]] Descriptor readable_file(const std::string& text);

/// Waits for this child, and reaps orphans that have come to this process meanwhile. Its status of waitpid;
/// that of exit code 255 when somebody else has reaped it.
[[nodiscard]] int wait_for_process(pid_t child);

}  // namespace holdfast::runner
