#pragma once

#include "base/random.h"
#include "holdfast/time.h"

namespace holdfast::engine {

/// How long to wait before trying a failed call again: 0.5 s doubling to 30 s, each shortened by up to a half at
/// random, so that many workers do not come back at the same moment.
class Backoff {
public:
    explicit Backoff(Random& random) : random_(random) {}

    /// After a failure: the wait before the next try, at most `cap`.
    [[nodiscard]] Duration next(Duration cap);
    void reset() { failures_ = 0; }
    [[nodiscard]] int failures() const { return failures_; }

private:
    Random& random_;
    int failures_ = 0;
};

/// A number in [0, 1).
[[nodiscard]] double draw_fraction(Random& random);

}  // namespace holdfast::engine
