#include "views/schedule.h"

#include "base/text.h"
#include "core/calendar/schedule.h"
#include "core/public_words.h"
#include "core/workflow/workflow.h"
#include "platform/zone_files.h"

namespace holdfast::views {

namespace {

/// Reads the timing and its zone. Returns the reason when that fails; empty on success.
std::string read_timing(ScheduleView& view) {
    auto timing = core::parse_timing(view.record.schedule.timing);
    if (!timing.ok()) return timing.error();
    view.timing = std::move(timing).value();
    auto zone = platform::read_zone(view.timing.zone);
    if (!zone.ok()) return zone.error();
    view.zone = std::move(zone).value();
    return "";
}

std::vector<Slot> slots_of(const ScheduleView& view) {
    std::vector<Slot> slots;
    for (const Timestamp at : view.next) slots.push_back({at, local_text(view.zone, at)});
    return slots;
}

/// Restores a definition from the workflow's name, the only part that the JSON contains.
void fill_definition(ScheduleView& view) {
    core::Workflow named;
    named.name = view.workflow;
    view.record.schedule.definition =
        core::to_json_text(core::WorkflowBundle{.main = named.name, .workflows = {{named.name, named}}});
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
    // Formats the local time as if it were UTC, and drops the trailing Z.
    const Timestamp shown(zone.local(std::chrono::floor<std::chrono::seconds>(at)).time_since_epoch());
    std::string text = format_timestamp(shown);
    text.pop_back();
    text[text.find('T')] = ' ';
    return text;
}

Table<Slot> table(Of<Slot>) {
    static constexpr Member<Slot> members[] = {
        member<&Slot::at>("at"),
        member<&Slot::local>("local"),
    };
    return {"Slot", members};
}

Table<ScheduleView> table(Of<ScheduleView>) {
    using View = ScheduleView;
    using Record = store::ScheduleRecord;
    using Definition = store::ScheduleDefinition;
    static constexpr Member<View> members[] = {
        member<&View::record, &Record::schedule, &Definition::name>("name"),
        member<&View::record, &Record::paused>("paused"),
        member<&View::record, &Record::schedule, &Definition::timing>("timing", json_text),
        member<&View::workflow>("workflow", or_null),
        member<&View::record, &Record::schedule, &Definition::input>("input", json_text),
        member<&View::record, &Record::created_at>("created_at"),
        member<&View::record, &Record::decided_until>("decided_until"),
        member<&View::record, &Record::last_job>("last_job", or_null),
        member<&View::record, &Record::last_state>("last_state"),
        derived<slots_of>("next"),
        member<&View::problem>("problem", or_null),
    };
    return {"Schedule", members, fill_definition};
}

}  // namespace holdfast::views
