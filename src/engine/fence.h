#pragma once

#include "holdfast/task.h"
#include "holdfast/time.h"
#include "store/task_records.h"

namespace holdfast::engine {

/// Self-fencing: a worker that cannot reach the store ends by itself the runs that somebody else could be given,
/// before anybody may be. All deadlines count from when the last acknowledged beat was *sent*.
struct FenceTimes {
    Duration ask;   ///< the worker asks the runs to stop
    Duration kill;  ///< the worker, and the runners by themselves, kill what is left; before the declared fence
};
[[nodiscard]] FenceTimes fence_times(Duration declared);

/// Must the run end when its worker loses touch with the store?
[[nodiscard]] bool is_fenced(const store::NewTask& task);

}  // namespace holdfast::engine
