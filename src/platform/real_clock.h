#pragma once

#include "base/clock.h"

namespace holdfast::platform {

/// The machine's wall clock. Stateless: safe from any thread.
class RealClock : public Clock {
public:
    [[nodiscard]] Timestamp now() const override;
};

/// A clock that lives as long as the process, for stores that keep a reference.
[[nodiscard]] const Clock& real_clock();

}  // namespace holdfast::platform
