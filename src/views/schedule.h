#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/calendar/schedule.h"
#include "store/store.h"
#include "views/members.h"

namespace holdfast::views {

/// A schedule as shown to people.
struct ScheduleView {
    store::ScheduleRecord record = {};
    core::ScheduleTiming timing = {};
    core::TimeZone zone = {};
    std::string workflow = {};         ///< the workflow that it starts
    std::vector<Timestamp> next = {};  ///< its next slots
    std::string problem = {};          ///< why it cannot be read; empty when it can
};

/// Creates the view of a record, with up to `slots` slots after `now`.
[[nodiscard]] ScheduleView view_of(const store::ScheduleRecord& record, Timestamp now, int slots);

/// "30 2 * * MON-FRI in Europe/Berlin", "every 15m".
[[nodiscard]] std::string timing_text(const core::ScheduleTiming& timing);

/// The local time in the zone: "2026-11-16 02:30:00".
[[nodiscard]] std::string local_text(const core::TimeZone& zone, Timestamp at);

/// An instant of a schedule and its local time in the zone.
struct Slot {
    Timestamp at = {};
    std::string local = {};
};

Table<Slot> table(Of<Slot>);
Table<ScheduleView> table(Of<ScheduleView>);

}  // namespace holdfast::views
