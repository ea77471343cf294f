#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "proof/bench/driver/queue_driver.h"

namespace holdfast::bench {

using Drivers = std::vector<std::unique_ptr<QueueDriver>>;

struct Load {
    std::size_t tasks = 0;  ///< rounded down to a multiple of the drivers
    std::size_t batch = 0;  ///< tasks per claim
};
struct LoadRates {
    double submit = 0;  ///< tasks per second
    double cycle = 0;
};
/// Submits tasks, then claims, starts and finishes them all. Every driver works in a thread of its own. Throws
/// std::runtime_error when a task was lost or done twice.
[[nodiscard]] LoadRates run_load(Drivers& drivers, const Load& load);

}  // namespace holdfast::bench
