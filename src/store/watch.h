#pragma once

#include <chrono>

#include "holdfast/time.h"

namespace holdfast::store {

/// What a watch reports.
enum class Topic {
    Work,    ///< tasks became claimable, or a queue or worker was steered
    Done,    ///< tasks ended
    Orders,  ///< a worker has to stop a run, drain, or claim again (or no more): the answer to its next beat says so
};

/// How often a watch answers true by itself, in a store that polls every `usual`.
[[nodiscard]] constexpr Duration safety_poll_of(Topic topic, Duration usual) {
    return topic == Topic::Orders ? std::chrono::hours(24 * 365) : usual;
}

/// Reports that something may have changed since the last wait, or since the watch was made. Make it first, look at
/// the store, then wait: so no change is missed. A lost wake-up costs a second at most, because wait() then answers
/// true by itself (the safety poll). A watch for Orders has no safety poll: beats take its place. One thread waits;
/// wake() may be called from any thread.
class Watch {
public:
    virtual ~Watch() = default;
    /// Returns true when something may have changed, false when `at_most` has passed without a change.
    virtual bool wait(Duration at_most) = 0;
    virtual void wake() = 0;
};

}  // namespace holdfast::store
