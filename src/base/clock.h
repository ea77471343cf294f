#pragma once

#include "holdfast/time.h"

namespace holdfast {

/// The wall clock, as a port: what the SQLite store stamps rows with. Times that are compared to reach
/// a verdict never come from here; they are measured on the measuring process's monotonic clock.
class Clock {
public:
    virtual ~Clock() = default;
    [[nodiscard]] virtual Timestamp now() const = 0;
};

}  // namespace holdfast
