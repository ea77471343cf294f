#pragma once

#include "store/worker_records.h"

namespace holdfast::platform {

/// The identity of this machine and process. Parts that cannot be read stay empty, and match no process.
[[nodiscard]] store::HostIdentity own_host_identity();

/// The machine's name; empty when it cannot be read.
[[nodiscard]] std::string host_name();

/// When the process began, in clock ticks since boot; 0 when the process does not exist or cannot be seen.
[[nodiscard]] std::uint64_t start_time_of(int pid);

}  // namespace holdfast::platform
