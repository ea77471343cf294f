#pragma once

#include <string>

#include "core/calendar/time_zone.h"
#include "holdfast/result.h"

namespace holdfast::platform {

inline constexpr const char* zone_folder = "/usr/share/zoneinfo";

/// The time zone of a name like "Europe/Berlin", from the machine's zone files. "UTC" needs none. A name cannot reach
/// a file outside the folder except by the folder's own links. The error is one sentence for the user who wrote the
/// name.
[[nodiscard]] Result<core::TimeZone, std::string> read_zone(const std::string& name,
                                                            const std::string& folder = zone_folder);

}  // namespace holdfast::platform
