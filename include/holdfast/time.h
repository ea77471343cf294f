#pragma once

#include <chrono>

namespace holdfast {

/// Lengths of time and points in (UTC) time, in microseconds as both databases store them.
using Duration = std::chrono::microseconds;
using Timestamp = std::chrono::sys_time<Duration>;

}  // namespace holdfast
