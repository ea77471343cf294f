#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/calendar/schedule.h"
#include "store/store.h"
#include "views/members.h"

namespace holdfast::views {

/// A schedule as people see it.
struct ScheduleView {
    store::ScheduleRecord record = {};
    core::ScheduleTiming timing = {};
    core::TimeZone zone = {};
    std::string workflow = {};         ///< that it starts
    std::vector<Timestamp> next = {};  ///< its next slots
    std::string problem = {};          ///< why it cannot be read; empty: it can
};

/// Reads it, with up to `slots` slots after `now`.
[[nodiscard]] ScheduleView view_of(const store::ScheduleRecord& record, Timestamp now, int slots);

/// "30 2 * * MON-FRI in Europe/Berlin", "every 15m".
[[nodiscard]] std::string timing_text(const core::ScheduleTiming& timing);

/// What the clocks of its zone show: "2026-11-16 02:30:00".
[[nodiscard]] std::string local_text(const core::TimeZone& zone, Timestamp at);

/// An instant of a schedule, and what the clocks of its zone show then.
struct Slot {
    Timestamp at = {};
    std::string local = {};
};

Table<Slot> table(Of<Slot>);
Table<ScheduleView> table(Of<ScheduleView>);

}  // namespace holdfast::views
