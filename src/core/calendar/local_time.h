#pragma once

#include "holdfast/time.h"

namespace holdfast::core {

/// The wall-clock time of an unspecified zone.
using LocalTime = std::chrono::local_time<Duration>;

/// The range of years that crons, zones and schedules support.
inline constexpr std::chrono::year first_year(1);
inline constexpr std::chrono::year last_year(9999);

}  // namespace holdfast::core
