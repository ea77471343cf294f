#include "views/schedule_view.h"

#include "base/text.h"
#include "core/calendar/schedule_text.h"
#include "core/workflow/workflow.h"
#include "platform/zone_files.h"

namespace holdfast::views {

namespace {

/// Reads the timing and its zone; what keeps it from being read, if anything does.
std::string read_timing(ScheduleView& view) {
    auto timing = core::parse_timing(view.record.schedule.timing);
    if (!timing.ok()) return timing.error();
    view.timing = std::move(timing).value();
    auto zone = platform::read_zone(view.timing.zone);
    if (!zone.ok()) return zone.error();
    view.zone = std::move(zone).value();
    return "";
}

void read_slots(ScheduleView& view, Timestamp now, int slots) {
    while (std::ssize(view.next) < slots) {
        const auto slot = core::next_slot(view.timing, view.zone, view.next.empty() ? now : view.next.back());
        if (!slot) return;
        view.next.push_back(*slot);
    }
}

}  // namespace

ScheduleView view_of(const store::ScheduleRecord& record, Timestamp now, int slots) {
    ScheduleView view;
    view.record = record;
    if (const auto bundle = core::parse_workflow_bundle(record.schedule.definition); bundle.ok())
        view.workflow = bundle->main;
    view.problem = read_timing(view);
    if (view.problem.empty()) read_slots(view, now, slots);
    return view;
}

std::string timing_text(const core::ScheduleTiming& timing) {
    if (timing.cron) return concat(timing.cron->text(), " in ", timing.zone);
    return concat("every ", format_duration(timing.interval.value_or(Duration{})));
}

std::string local_text(const core::TimeZone& zone, Timestamp at) {
    // The clocks' own reading, written as if it were UTC, without the letter that would say so.
    const Timestamp shown(zone.local(std::chrono::floor<std::chrono::seconds>(at)).time_since_epoch());
    std::string text = format_timestamp(shown);
    text.pop_back();
    text[text.find('T')] = ' ';
    return text;
}

Json to_json_shape(const ScheduleView& view) {
    const store::ScheduleRecord& record = view.record;
    Json next = Json::array();
    for (const Timestamp slot : view.next)
        next.push_back({{"at", format_timestamp(slot)}, {"local", local_text(view.zone, slot)}});
    return {{"name", record.schedule.name},
            {"paused", record.paused},
            {"timing", embedded(record.schedule.timing)},
            {"workflow", view.workflow.empty() ? Json() : Json(view.workflow)},
            {"input", embedded(record.schedule.input)},
            {"created_at", format_timestamp(record.created_at)},
            {"decided_until", format_timestamp(record.decided_until)},
            {"last_job", record.last_job.is_nil() ? Json() : Json(record.last_job.to_string())},
            {"last_state", record.last_state ? Json(to_text(*record.last_state)) : Json()},
            {"next", std::move(next)},
            {"problem", view.problem.empty() ? Json() : Json(view.problem)}};
}

}  // namespace holdfast::views
