#include "engine/recovery/scheduler.h"

#include "base/text.h"
#include "core/calendar/schedule.h"

namespace holdfast::engine {

namespace {

std::string note_about_missed(std::int64_t given_up) {
    if (given_up == 0) return "";
    return concat(given_up, given_up == 1 ? " slot was" : " slots were", " missed and will not be made up for");
}

}  // namespace

RecoveryReport Scheduler::run_once() {
    RecoveryReport report;
    const auto records = store_.schedules();
    const Timestamp now = store_.now();
    for (const auto& record : records) {
        if (record.paused) continue;
        if (const auto fault = fault_of([&] { run_schedule(record, now, report); }))
            report.skip(concat("schedule ", record.schedule.name, ": ", *fault));
    }
    return report;
}

void Scheduler::run_schedule(store::ScheduleRecord record, Timestamp now, RecoveryReport& report) {
    const auto timing = core::parse_timing(record.schedule.timing);
    const auto found =
        timing.ok() ? zone(timing->zone) : Result<core::TimeZone, std::string>(Failure{timing.error()});
    if (!found.ok()) return report.skip(concat("schedule ", record.schedule.name, ": ", found.error()));
    const auto due = core::due_slots(*timing, *found, record.decided_until, now);
    std::string note = note_about_missed(due.given_up);
    for (const Timestamp slot : due.slots) {
        if (core::fires_at(*timing, record.schedule.name, slot) > now) return;
        if (!fire(record, *timing, slot, note)) return;
        ++report.fired;
        note.clear();
    }
    if (note.empty()) return;
    store_.fire({.schedule = record.schedule.name,
                 .decided_until = record.decided_until,
                 .decide_until = now,
                 .job = {},
                 .cancel_previous = false,
                 .who = who_,
                 .note = note});
}

bool Scheduler::fire(store::ScheduleRecord& record, const core::ScheduleTiming& timing, Timestamp slot,
                     const std::string& note) {
    const bool still_runs = record.last_state && !is_terminal(*record.last_state);
    const bool skips = still_runs && timing.overlap == core::Overlap::Skip;
    store::FireParams params{.schedule = record.schedule.name,
                             .decided_until = record.decided_until,
                             .decide_until = slot,
                             .job = {},
                             .cancel_previous = still_runs && timing.overlap == core::Overlap::CancelPrevious,
                             .who = who_,
                             .note = note};
    if (!skips) params.job = core::slot_id(record.schedule.name, record.created_at, slot);
    if (skips)
        params.note = concat(note, note.empty() ? "" : "; ", "slot ", format_timestamp(slot), " skipped: job ",
                             record.last_job.to_string(), " has not ended");
    if (!store_.fire(params)) return false;
    record.decided_until = slot;
    if (params.job) {
        record.last_job = *params.job;
        record.last_state = JobState::Pending;
    }
    return true;
}

Result<core::TimeZone, std::string> Scheduler::zone(const std::string& name) {
    if (const auto known = known_zones_.find(name); known != known_zones_.end()) return known->second;
    auto found = zones_(name);
    if (found.ok()) known_zones_.emplace(name, found.value());
    return found;
}

}  // namespace holdfast::engine
