#pragma once

#include "store/worker_records.h"

namespace holdfast::platform {

/// Which machine and process this is. What cannot be read is left empty, which matches nobody.
[[nodiscard]] store::HostIdentity own_host_identity();

/// The machine's name; empty when it cannot be read.
[[nodiscard]] std::string host_name();

/// When the process began, in clock ticks since boot; 0 when there is no such process, or it cannot be seen.
[[nodiscard]] std::uint64_t start_time_of(int pid);

}  // namespace holdfast::platform
