#pragma once

#include <optional>
#include <string>

#include "holdfast/time.h"

namespace holdfast::core {

/// What a store knows about the clock that stamps its rows. It is kept beside the rows, and moved by trust_clock()
/// alone: a process whose clock is wrong stamps what it writes, but cannot vouch for itself by that.
struct ClockWitness {
    std::optional<Timestamp> trusted_at;  ///< the newest stamp of the clock that was believed; nullopt: none so far
    Duration watched{};                   ///< on monotonic clocks of observers, since it is in doubt

    friend bool operator==(const ClockWitness&, const ClockWitness&) = default;
};

/// How far the clock may have moved since it was last believed.
inline constexpr Duration longest_unwitnessed = std::chrono::hours(24);
/// How long a clock that has moved further is watched before it is believed all the same.
inline constexpr Duration watched_long_enough = std::chrono::hours(24);

struct ClockLook {
    Timestamp now;            ///< by the clock in question
    Duration watched{};       ///< by the caller, on its own monotonic clock, since its last look
    bool is_vouched = false;  ///< a person says that the clock is right
};

struct ClockTrust {
    bool is_trusted = false;
    ClockWitness witness;  ///< what the store is to know from now on
};

/// Whether history may be removed by this clock. A clock that is far ahead would remove too much, so one that has
/// moved by more than a day unobserved is not trusted until it was observed for a day, or a person vouches for it. A
/// clock that went back is trusted: it removes less.
[[nodiscard]] ClockTrust trust_clock(const ClockWitness& witness, const ClockLook& look);

/// Why it is not trusted, as a sentence; empty when it is.
[[nodiscard]] std::string describe_doubt(const ClockTrust& trust, Timestamp now);

}  // namespace holdfast::core
