#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "holdfast/time.h"

namespace holdfast::sim {

[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31);
}

/// The hash of a name: seeds the streams of dice, and goes into the hash of the trace.
[[nodiscard]] constexpr std::uint64_t digest(std::string_view text, std::uint64_t from = 0xcbf29ce484222325ULL) {
    for (const char each : text) from = (from ^ static_cast<unsigned char>(each)) * 0x100000001b3ULL;
    return from;
}

/// The only source of randomness in a simulated world. The same seed gives the same sequence, and every part of the
/// world has its own stream: one draw more or less in one place changes nothing elsewhere.
class Dice : public Random {
public:
    explicit Dice(std::uint64_t seed) : state_(mixed(seed + 0x9e3779b97f4a7c15ULL)) {}

    std::uint64_t next() override {
        state_ += 0x9e3779b97f4a7c15ULL;
        return mixed(state_);
    }
    [[nodiscard]] std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }
    [[nodiscard]] int between(int least, int most) {
        return least + static_cast<int>(below(static_cast<std::size_t>(most - least) + 1));
    }
    [[nodiscard]] Duration between(Duration least, Duration most) {
        return least +
               Duration(static_cast<Duration::rep>(below(static_cast<std::size_t>((most - least).count()) + 1)));
    }
    [[nodiscard]] double fraction() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
    [[nodiscard]] bool chance(double probability) { return fraction() < probability; }
    /// Uniform in the logarithm: small values are as likely as large ones.
    [[nodiscard]] Duration logarithmic(Duration least, Duration most);
    template <typename T>
    [[nodiscard]] const T& pick(const std::vector<T>& choices) {
        return choices[below(choices.size())];
    }
    [[nodiscard]] Dice fork(std::string_view label) const { return Dice(digest(label, state_)); }

private:
    std::uint64_t state_;
};

}  // namespace holdfast::sim
