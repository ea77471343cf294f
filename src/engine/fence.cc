#include "engine/fence.h"

namespace holdfast::engine {

FenceTimes fence_times(Duration declared) {
    return {.ask = declared * 6 / 10, .kill = declared * 8 / 10};
}

bool is_fenced(const store::NewTask& task) {
    switch (task.policy.fence) {
        case Fence::Stop:
            return true;
        case Fence::Continue:
            return false;
        case Fence::Auto:
            return task.policy.on_crash == OnCrash::Requeue || task.concurrency.has_value();
    }
    return true;
}

}  // namespace holdfast::engine
