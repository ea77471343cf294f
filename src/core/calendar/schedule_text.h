#pragma once

#include <string>
#include <string_view>

#include "core/calendar/schedule.h"
#include "holdfast/result.h"

namespace holdfast::core {

/// The timing as a compact JSON object with only the members that differ from the default, keys sorted; a cron as it
/// was written, durations in whole milliseconds under keys that end in _ms.
///   {"cron":"30 2 * * MON-FRI","jitter_ms":60000,"overlap":"skip","zone":"Europe/Berlin"}
/// Keys: catch_up, cron, interval_ms, jitter_ms, overlap, zone.
[[nodiscard]] std::string to_json_text(const ScheduleTiming& timing);

/// Parses text that to_json_text wrote. The error is one sentence that names the key and the allowed values.
[[nodiscard]] Result<ScheduleTiming, std::string> parse_timing(std::string_view text);

}  // namespace holdfast::core
