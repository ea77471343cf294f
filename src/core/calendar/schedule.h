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

/// What a slot's run does about an earlier run of the same schedule that has not ended.
enum class Overlap {
    Allow,           ///< runs beside it
    Skip,            ///< does not run
    CancelPrevious,  ///< cancels it
};
constexpr auto words_of(Overlap) {
    using enum Overlap;
    return words<Overlap>({{Allow, "allow"}, {Skip, "skip"}, {CancelPrevious, "cancel_previous"}});
}

/// When a schedule runs: by a cron on the clocks of a zone, or at an interval. A slot is one of its instants.
struct ScheduleTiming {
    std::optional<Cron> cron = {};
    std::optional<Duration> interval = {};  ///< counted from 1970-01-01T00:00:00Z, so that all processes agree
    std::string zone = "UTC";               ///< of the cron: a name of the IANA database
    Duration jitter{};                      ///< how much later than its slot a run may begin
    int catch_up = 1;                       ///< how many missed slots are made up for, the newest; 0: none
    Overlap overlap = Overlap::Allow;

    friend bool operator==(const ScheduleTiming&, const ScheduleTiming&) = default;
};

/// What is wrong with it, as one sentence that names the field; empty when nothing is. Does not check whether the
/// zone exists.
[[nodiscard]] std::string timing_defect(const ScheduleTiming& timing);

/// The next slot strictly after `after`; nullopt when none comes until the year 9999. `zone`: the one that `timing`
/// names. For timings without defect, as everything below.
///
/// When clocks are put forward over a time that a cron names, its slot is the first instant after the gap, once. When
/// they are put back over it, its slot is the first of the two. A cron with every hour in its hour field names no
/// time of the day: its slots are where the clocks show its minutes, so that it neither rests nor doubles.
[[nodiscard]] std::optional<Timestamp> next_slot(const ScheduleTiming& timing, const TimeZone& zone, Timestamp after);

struct DueSlots {
    std::vector<Timestamp> slots = {};  ///< to run now, oldest first
    std::int64_t given_up = 0;          ///< older ones that are not made up for; not counted beyond max_counted
    static constexpr std::int64_t max_counted = 100'000;
};

/// The slots in (last, now]. Those are on time that are less than a minute old, or an interval when that is shorter;
/// plus the jitter, which their runs may still wait for. All others were missed, and `catch_up` of them are made up
/// for.
[[nodiscard]] DueSlots due_slots(const ScheduleTiming& timing, const TimeZone& zone, Timestamp last, Timestamp now);

/// The id of what a slot runs, the same in every process. A schedule that is removed and made anew, at `made_at`, is
/// another: when the clock was set back meanwhile, it has slots of the first one, whose jobs may have been pruned
/// since, and a pruned id must not come again.
[[nodiscard]] Uuid slot_id(std::string_view schedule, Timestamp made_at, Timestamp slot);

/// When a slot's run begins: later than the slot by less than the jitter, and the same in every process.
[[nodiscard]] Timestamp fires_at(const ScheduleTiming& timing, std::string_view schedule, Timestamp slot);

}  // namespace holdfast::core
