#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"
#include "core/calendar/cron.h"
#include "core/calendar/time_zone.h"
#include "holdfast/time.h"
#include "holdfast/uuid.h"

namespace holdfast::core {

/// The policy for a slot while an earlier run of the same schedule has not ended.
enum class Overlap {
    Allow,           ///< the new run starts beside it
    Skip,            ///< the new run does not start
    CancelPrevious,  ///< the new run starts and the earlier one is cancelled
};
constexpr auto words_of(Overlap) {
    using enum Overlap;
    return words<Overlap>({{Allow, "allow"}, {Skip, "skip"}, {CancelPrevious, "cancel_previous"}});
}

/// The times of a schedule: a cron on the clocks of a zone, or an interval. A slot is one of these instants.
struct ScheduleTiming {
    std::optional<Cron> cron = {};
    std::optional<Duration> interval = {};  ///< counted from 1970-01-01T00:00:00Z, so that all processes agree
    std::string zone = "UTC";               ///< of the cron: a name of the IANA database
    Duration jitter{};                      ///< the upper bound of a run's delay after its slot
    int catch_up = 1;                       ///< how many missed slots are run late: the newest; 0: none
    Overlap overlap = Overlap::Allow;

    friend bool operator==(const ScheduleTiming&, const ScheduleTiming&) = default;
};

inline constexpr Duration shortest_interval = std::chrono::seconds(1);
inline constexpr Duration longest_interval = std::chrono::days(365);  ///< of the jitter, too
inline constexpr int most_catch_up = 1000;

/// Returns the fault of a timing as one sentence that names the field; empty when it is valid. Does not check whether
/// the zone exists.
[[nodiscard]] std::string timing_defect(const ScheduleTiming& timing);

/// The timing as a compact JSON object with only the members that differ from the default, keys sorted; a cron as it
/// was written, durations in whole milliseconds under keys that end in _ms.
///   {"cron":"30 2 * * MON-FRI","jitter_ms":60000,"overlap":"skip","zone":"Europe/Berlin"}
/// Keys: catch_up, cron, interval_ms, jitter_ms, overlap, zone.
[[nodiscard]] std::string to_json_text(const ScheduleTiming& timing);

/// Parses text that to_json_text wrote. The error is one sentence that names the key and the allowed values.
[[nodiscard]] Result<ScheduleTiming, std::string> parse_timing(std::string_view text);

/// Returns the next slot strictly after `after`; nullopt when none comes until the year 9999. `zone` is the one that
/// `timing` names. The timing must be free of defects; this holds for all functions below.
///
/// When the clocks are set forward over a time that a cron names, its slot is the first instant after the gap, once.
/// When they are set back over it, its slot is the first of the two instants. A cron whose hour field matches every
/// hour follows the minutes that the clocks show, so that it neither pauses nor runs twice.
[[nodiscard]] std::optional<Timestamp> next_slot(const ScheduleTiming& timing, const TimeZone& zone, Timestamp after);

struct DueSlots {
    std::vector<Timestamp> slots = {};  ///< to run now, oldest first
    std::int64_t given_up = 0;          ///< older slots that are not run; counted up to max_counted
    static constexpr std::int64_t max_counted = 100'000;
};

/// Returns the slots in (last, now] that are due. A slot is on time while it is less than a minute old, or less than
/// an interval when that is shorter, plus the jitter that its run may still wait for. All other slots were missed,
/// and `catch_up` of them are run late.
[[nodiscard]] DueSlots due_slots(const ScheduleTiming& timing, const TimeZone& zone, Timestamp last, Timestamp now);

/// The id of a slot's job, the same in every process. A schedule that is removed and created again, at `made_at`,
/// gets different ids. Otherwise, after the clock was set back, it could repeat slots of the first schedule whose
/// jobs may have been pruned; a pruned id must not be used again.
[[nodiscard]] Uuid slot_id(std::string_view schedule, Timestamp made_at, Timestamp slot);

/// The time at which a slot's run begins: later than the slot by less than the jitter, and the same in every process.
[[nodiscard]] Timestamp fires_at(const ScheduleTiming& timing, std::string_view schedule, Timestamp slot);

}  // namespace holdfast::core
