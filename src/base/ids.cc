#include "base/ids.h"

#include <algorithm>

namespace holdfast {

namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

constexpr bool is_dash_position(std::size_t i) {
    return i == 8 || i == 13 || i == 18 || i == 23;
}

std::optional<unsigned> digit_value(char digit) {
    const char lower = digit >= 'A' && digit <= 'F' ? static_cast<char>(digit - 'A' + 'a') : digit;
    const std::size_t value = hex_digits.find(lower);
    if (value == std::string_view::npos) return std::nullopt;
    return static_cast<unsigned>(value);
}

constexpr std::int64_t max_milliseconds = (std::int64_t{1} << 48) - 1;
constexpr std::uint64_t max_high = (std::uint64_t{1} << 12) - 1;
constexpr std::uint64_t max_low = (std::uint64_t{1} << 62) - 1;

/// RFC 9562: the version in bits 48 to 51, the variant (binary 10) in bits 64 and 65.
Uuid with_version(std::uint64_t version, std::uint64_t first, std::uint64_t second) {
    first = (first & ~std::uint64_t{0xF000}) | version << 12;
    second = (second & max_low) | std::uint64_t{2} << 62;
    Uuid::Bytes bytes{};
    for (std::size_t i = 0; i < 8; ++i) {
        bytes[i] = static_cast<std::uint8_t>(first >> (56 - 8 * i));
        bytes[8 + i] = static_cast<std::uint8_t>(second >> (56 - 8 * i));
    }
    return Uuid(bytes);
}

std::int64_t milliseconds_in_48_bits(Timestamp at) {
    const std::int64_t exact = std::chrono::floor<std::chrono::milliseconds>(at).time_since_epoch().count();
    return std::clamp<std::int64_t>(exact, 0, max_milliseconds);
}

/// A bijection of 64 bits in which every bit of the input changes about half of the output's.
struct Mix {
    std::uint64_t seed;
    int shifts[3];
    std::uint64_t factors[2];

    [[nodiscard]] constexpr std::uint64_t operator()(std::uint64_t bits) const {
        bits = (bits ^ bits >> shifts[0]) * factors[0];
        bits = (bits ^ bits >> shifts[1]) * factors[1];
        return bits ^ bits >> shifts[2];
    }
};
// The finalisers of SplitMix64 and of MurmurHash3: two, so that what collides in one does not in the other.
constexpr Mix first_mix{0x9e3779b97f4a7c15, {30, 27, 31}, {0xbf58476d1ce4e5b9, 0x94d049bb133111eb}};
constexpr Mix second_mix{0xc2b2ae3d27d4eb4f, {33, 33, 33}, {0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53}};

/// Up to eight bytes as a number, the first one lowest whatever the machine's order is.
std::uint64_t number_from(std::string_view bytes) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        number |= std::uint64_t{static_cast<std::uint8_t>(bytes[i])} << (8 * i);
    return number;
}

/// The length comes first: texts that differ only in zero bytes at their ends are different.
std::uint64_t mixed(std::string_view text, const Mix& mix) {
    std::uint64_t state = mix(mix.seed + text.size());
    for (std::size_t at = 0; at < text.size(); at += 8)
        state = mix(state ^ number_from(text.substr(at, 8))) + mix.seed;
    return mix(state);
}

}  // namespace

std::optional<Uuid> Uuid::parse(std::string_view text) {
    if (text.size() != 36) return std::nullopt;
    Bytes bytes{};
    std::size_t nibble = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (is_dash_position(i)) {
            if (text[i] != '-') return std::nullopt;
            continue;
        }
        const auto value = digit_value(text[i]);
        if (!value) return std::nullopt;
        std::uint8_t& byte = bytes[nibble / 2];
        byte = static_cast<std::uint8_t>((unsigned{byte} << 4) | *value);
        ++nibble;
    }
    return Uuid(bytes);
}

std::string Uuid::to_string() const {
    std::string text;
    text.reserve(36);
    for (const std::uint8_t byte : bytes_) {
        if (is_dash_position(text.size())) text += '-';
        text += hex_digits[byte >> 4];
        text += hex_digits[byte & 0x0F];
    }
    return text;
}

std::int64_t Uuid::unix_milliseconds() const {
    std::int64_t milliseconds = 0;
    for (std::size_t i = 0; i < 6; ++i) milliseconds = milliseconds << 8 | bytes_[i];
    return milliseconds;
}

/// Beyond this the clock was wrong before, and stores refuse ids that are far in their future.
constexpr std::int64_t longest_step_back = 30LL * 60 * 1000;

Uuid UuidV7Maker::make(Timestamp now, Random& random) {
    const std::int64_t milliseconds = milliseconds_in_48_bits(now);
    if (milliseconds + longest_step_back < last_milliseconds_) last_milliseconds_ = -1;
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

std::uint64_t hash_of(std::string_view text) {
    return mixed(text, first_mix);
}

Uuid name_based_uuid(Timestamp at, std::string_view name) {
    const auto milliseconds = static_cast<std::uint64_t>(milliseconds_in_48_bits(at));
    return with_version(7, milliseconds << 16 | (mixed(name, second_mix) & max_high), hash_of(name));
}

}  // namespace holdfast
