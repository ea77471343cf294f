#pragma once

#include "holdfast/time.h"

namespace holdfast::core {

/// A time on the clocks of some zone, without saying which.
using LocalTime = std::chrono::local_time<Duration>;

/// The years that crons, zones and schedules know.
inline constexpr std::chrono::year first_year(1);
inline constexpr std::chrono::year last_year(9999);

}  // namespace holdfast::core
