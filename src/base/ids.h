#pragma once

#include <cstdint>
#include <string_view>

#include "base/random.h"
#include "holdfast/time.h"
#include "holdfast/uuid.h"

namespace holdfast {

/// Makes UUIDv7 that never repeat or go backwards, even when the clock does: within one millisecond, and
/// while the clock is behind the last id, a 74-bit counter seeded from `random` grows instead. A clock that is set
/// back by more than half an hour was wrong before: ids follow it, with 74 new random bits. Not thread-safe: the
/// caller serialises.
class UuidV7Maker {
public:
    [[nodiscard]] Uuid make(Timestamp now, Random& random);

private:
    std::int64_t last_milliseconds_ = -1;
    std::uint64_t high_ = 0;  // 12 bits
    std::uint64_t low_ = 0;   // 62 bits
};

[[nodiscard]] Uuid make_uuid_v4(Random& random);

/// 64 well-spread bits of a text: the same in every process, on every machine and in every version, because stored
/// rows are found by values made from them. Protects against accidents, not against deliberate collisions.
[[nodiscard]] std::uint64_t hash_of(std::string_view text);

/// An id that follows from an instant and a name: a UUIDv7 with the milliseconds of `at` (clamped to those from 1970
/// on that fit) and 74 bits of a hash of `name`. As stable as hash_of.
[[nodiscard]] Uuid name_based_uuid(Timestamp at, std::string_view name);

}  // namespace holdfast
