#pragma once

#include <algorithm>

#include "holdfast/time.h"

namespace holdfast::core {

/// Says when the next wake-up may go out to other processes. As long as wake-ups are rare, each may go at once. When
/// they come faster than one per `gap` for long, they go out once per `gap`, each for all that waited. Times are of
/// one monotonic clock, since any moment before the first.
class RingPace {
public:
    /// `burst`: how many may go out at once after a quiet time; at least 1.
    constexpr RingPace(Duration gap, int burst) : gap_(gap), lead_(gap * (burst - 1)) {}

    /// How long the next one has to wait; zero: it may go now.
    [[nodiscard]] constexpr Duration wait(Duration now) const {
        return std::max(Duration::zero(), paid_until_ - lead_ - now);
    }
    constexpr void sent(Duration now) { paid_until_ = std::max(paid_until_, now) + gap_; }

private:
    Duration gap_;
    Duration lead_;                              // by so much `paid_until_` may be ahead of the clock
    Duration paid_until_ = Duration::min() / 2;  // each one sent moves it on by the gap
};

}  // namespace holdfast::core
