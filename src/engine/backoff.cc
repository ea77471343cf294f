#include "engine/backoff.h"

#include <algorithm>

namespace holdfast::engine {

namespace {

constexpr Duration first_wait = std::chrono::milliseconds(500);
constexpr Duration longest_wait = std::chrono::seconds(30);
constexpr int doublings_to_longest = 6;

}  // namespace

double draw_fraction(Random& random) {
    return static_cast<double>(random.next() >> 11) * 0x1.0p-53;
}

Duration Backoff::next(Duration cap) {
    const Duration full =
        std::min({first_wait * (1 << std::min(failures_, doublings_to_longest)), longest_wait, cap});
    ++failures_;
    const double share = 1.0 - draw_fraction(random_) / 2;
    return Duration(static_cast<Duration::rep>(static_cast<double>(full.count()) * share));
}

}  // namespace holdfast::engine
