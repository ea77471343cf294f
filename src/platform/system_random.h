#pragma once

#include "base/random.h"

namespace holdfast::platform {

/// The kernel's randomness. Stateless: safe from any thread and after a fork.
class SystemRandom : public Random {
public:
    std::uint64_t next() override;
};

}  // namespace holdfast::platform
