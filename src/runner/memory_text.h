#pragma once

#include <cstdint>
#include <string>

namespace holdfast::runner {

/// "memory limit 512 MiB"; in KiB when it is no whole number of MiB.
[[nodiscard]] std::string memory_limit_text(std::int64_t bytes);

}  // namespace holdfast::runner
