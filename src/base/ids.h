#pragma once

#include <cstdint>

#include "base/random.h"
#include "holdfast/time.h"
#include "holdfast/uuid.h"

namespace holdfast {

/// Makes UUIDv7 that never repeat or go backwards, even when the clock does: within one millisecond, and
/// while the clock is behind the last id, a 74-bit counter seeded from `random` grows instead.
/// Not thread-safe: the caller serialises.
class UuidV7Maker {
public:
    [[nodiscard]] Uuid make(Timestamp now, Random& random);

private:
    std::int64_t last_milliseconds_ = -1;
    std::uint64_t high_ = 0;  // 12 bits
    std::uint64_t low_ = 0;   // 62 bits
};

[[nodiscard]] Uuid make_uuid_v4(Random& random);

}  // namespace holdfast
