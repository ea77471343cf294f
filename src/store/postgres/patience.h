#pragma once

#include "store/deadline.h"

namespace holdfast::postgres {

using store::Deadline;

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
