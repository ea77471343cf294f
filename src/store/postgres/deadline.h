#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "holdfast/time.h"

namespace holdfast::postgres {

/// A moment by which something has to have happened; without one it may take any time.
class Deadline {
public:
    Deadline() = default;  ///< none
    [[nodiscard]] static Deadline in(std::optional<Duration> duration) {
        return duration ? Deadline(std::chrono::steady_clock::now() + *duration) : Deadline();
    }
    [[nodiscard]] static Deadline earlier(const Deadline& one, const Deadline& other) {
        if (!one.at_ || !other.at_) return one.at_ ? one : other;
        return Deadline(std::min(*one.at_, *other.at_));
    }

    [[nodiscard]] bool has_passed() const { return at_ && std::chrono::steady_clock::now() >= *at_; }
    /// How long until then, at most `longest`; never negative.
    [[nodiscard]] Duration left(Duration longest) const {
        if (!at_) return longest;
        const auto left = std::chrono::ceil<Duration>(*at_ - std::chrono::steady_clock::now());
        return std::clamp(left, Duration::zero(), longest);
    }

private:
    explicit Deadline(std::chrono::steady_clock::time_point at) : at_(at) {}

    std::optional<std::chrono::steady_clock::time_point> at_;
};

/// For poll(2), which counts in milliseconds.
[[nodiscard]] inline int milliseconds_of(Duration duration) {
    return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(duration).count());
}

/// How long the calls of a lane may take. Nothing in here covers the wait for the caller's turn.
struct Patience {
    std::optional<Duration> answer;  ///< to everything that is sent in one round trip; nullopt: any time
    std::optional<Duration> call;    ///< from the first round trip of a call to its last answer; nullopt: any time
    Duration connect;                ///< to each host; a connect_timeout in the URL may shorten or extend it
    bool obeys_url = true;           ///< that connect_timeout counts
};

/// Beats, registrations and looks: a worker must learn soon that the store is unreachable.
inline constexpr Patience beats_patience{std::chrono::seconds(2), std::chrono::seconds(2), std::chrono::seconds(1),
                                         false};
/// Work and reads. A transaction of many round trips that makes progress is given three times as long.
inline constexpr Patience work_patience{std::chrono::seconds(10), std::chrono::seconds(30), std::chrono::seconds(3)};
/// Migrating, pruning and checking: they may work for hours.
inline constexpr Patience upkeep_patience{std::nullopt, std::nullopt, std::chrono::seconds(3)};

}  // namespace holdfast::postgres
