#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace holdfast::runner {

/// What a run's processes may use together, where no control group limits them. 0: no limit.
struct TreeLimits {
    std::int64_t memory_bytes = 0;
    std::int64_t processes = 0;  ///< without the runner itself

    [[nodiscard]] bool has_any() const { return memory_bytes > 0 || processes > 0; }
};

struct TreeUse {
    std::int64_t memory_bytes = 0;  ///< resident; shared memory counts for each process
    std::int64_t processes = 0;
};

/// Of this process and its descendants.
[[nodiscard]] TreeUse measure_tree();

/// "memory limit 512 MiB", "process limit 20"; nullopt when no limit is exceeded.
[[nodiscard]] std::optional<std::string> broken_limit(const TreeUse& use, const TreeLimits& limits);

}  // namespace holdfast::runner
