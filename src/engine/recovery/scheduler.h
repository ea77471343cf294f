#pragma once

#include <map>
#include <string>
#include <utility>

#include "core/calendar/schedule.h"
#include "engine/ports.h"
#include "engine/recovery/recovery_report.h"
#include "store/recovery_store.h"

namespace holdfast::engine {

/// Starts the jobs of schedules. A slot has the same id in every process, and the schedule's row advances in the
/// transaction that starts the job. So a slot runs once, however many schedulers there are and whenever they die.
class Scheduler {
public:
    Scheduler(store::RecoveryStore& store, Zones zones, std::string who)
        : store_(store), zones_(std::move(zones)), who_(std::move(who)) {}

    RecoveryReport run_once();

private:
    void run_schedule(store::ScheduleRecord record, Timestamp now, RecoveryReport& report);
    /// False: another process has fired the slot.
    bool fire(store::ScheduleRecord& record, const core::ScheduleTiming& timing, Timestamp slot,
              const std::string& note);
    [[nodiscard]] Result<core::TimeZone, std::string> zone(const std::string& name);

    store::RecoveryStore& store_;
    const Zones zones_;
    const std::string who_;
    std::map<std::string, core::TimeZone> known_zones_;
};

}  // namespace holdfast::engine
