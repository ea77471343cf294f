#pragma once

#include <cstdint>

namespace holdfast {

/// Randomness, as a port: 64 uniform bits at a time.
class Random {
public:
    virtual ~Random() = default;
    virtual std::uint64_t next() = 0;
};

}  // namespace holdfast
