#pragma once

#include "holdfast/time.h"

namespace holdfast {

/// The wall clock, as a port. The SQLite store stamps rows with it. Times that are compared to reach
/// a verdict never come from here: each process measures them on its own monotonic clock.
class Clock {
public:
    virtual ~Clock() = default;
    [[nodiscard]] virtual Timestamp now() const = 0;
};

}  // namespace holdfast
