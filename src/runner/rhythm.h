#pragma once

#include <cstddef>

#include "holdfast/time.h"

/// How often the processes that watch over runs do what.
namespace holdfast::runner {

inline constexpr Duration beat_interval = std::chrono::seconds(1);
inline constexpr Duration news_interval = std::chrono::milliseconds(200);
/// After little output, so that single printed lines do not cost a wake-up each.
inline constexpr Duration reading_pause = std::chrono::milliseconds(20);
inline constexpr std::size_t much_output = 32 * 1024;
inline constexpr Duration kill_interval = std::chrono::milliseconds(50);
inline constexpr Duration check_interval = std::chrono::milliseconds(250);

}  // namespace holdfast::runner
