#include "base/ids.h"

#include <algorithm>

namespace holdfast {

namespace {

constexpr std::int64_t max_milliseconds = (std::int64_t{1} << 48) - 1;
constexpr std::uint64_t max_high = (std::uint64_t{1} << 12) - 1;
constexpr std::uint64_t max_low = (std::uint64_t{1} << 62) - 1;

Uuid from_halves(std::uint64_t first, std::uint64_t second) {
    Uuid::Bytes bytes{};
    for (std::size_t i = 0; i < 8; ++i) {
        bytes[i] = static_cast<std::uint8_t>(first >> (56 - 8 * i));
        bytes[8 + i] = static_cast<std::uint8_t>(second >> (56 - 8 * i));
    }
    return Uuid(bytes);
}

/// RFC 9562: the version in bits 48 to 51, the variant (binary 10) in bits 64 and 65.
Uuid with_version(std::uint64_t version, std::uint64_t first, std::uint64_t second) {
    first = (first & ~std::uint64_t{0xF000}) | version << 12;
    second = (second & max_low) | std::uint64_t{2} << 62;
    return from_halves(first, second);
}

}  // namespace

Uuid UuidV7Maker::make(Timestamp now, Random& random) {
    const std::int64_t clock = std::chrono::floor<std::chrono::milliseconds>(now).time_since_epoch().count();
    const std::int64_t milliseconds = std::clamp<std::int64_t>(clock, 0, max_milliseconds);
    const bool counter_is_full = high_ == max_high && low_ == max_low;
    if (milliseconds > last_milliseconds_ || counter_is_full) {
        last_milliseconds_ = std::max(milliseconds, last_milliseconds_ + 1);
        high_ = random.next() & max_high;
        low_ = random.next() & max_low;
    } else if (low_ == max_low) {
        ++high_;
        low_ = 0;
    } else {
        ++low_;
    }
    return with_version(7, static_cast<std::uint64_t>(last_milliseconds_) << 16 | high_, low_);
}

Uuid make_uuid_v4(Random& random) {
    const std::uint64_t first = random.next();
    return with_version(4, first, random.next());
}

}  // namespace holdfast
