#pragma once

#include "holdfast/task.h"
#include "holdfast/time.h"
#include "store/task_records.h"

namespace holdfast::engine {

/// Self-fencing: a worker that cannot reach the store ends those of its runs that another worker could get, before it
/// may get them. All deadlines count from when the last acknowledged beat was *sent*.
struct FenceTimes {
    Duration ask;   ///< the worker asks the runs to stop
    Duration kill;  ///< the worker, and each runner itself, kill what is left; before the declared fence
};
[[nodiscard]] FenceTimes fence_times(Duration declared);

/// Whether the run must end when its worker loses the store.
[[nodiscard]] bool is_fenced(const store::NewTask& task);

}  // namespace holdfast::engine
