#include "cli/schedule_changes.h"

#include <algorithm>
#include <map>

#include "core/schedule_text.h"

namespace holdfast::cli {

namespace {

store::ScheduleDefinition definition_of(const config::Schedule& schedule) {
    return {.name = schedule.name,
            .timing = core::to_json_text(schedule.timing),
            .definition = schedule.definition,
            .input = schedule.input};
}

}  // namespace

std::string_view to_text(ScheduleChange change) {
    switch (change) {
        case ScheduleChange::New:
            return "new";
        case ScheduleChange::Changed:
            return "changed";
        case ScheduleChange::Unchanged:
            return "unchanged";
    }
    return "";
}

std::ptrdiff_t ScheduleChanges::count(ScheduleChange change) const {
    return std::ranges::count(configured, change, &std::pair<std::string, ScheduleChange>::second);
}

ScheduleChanges compare_schedules(store::Store& store, const std::vector<config::Schedule>& schedules) {
    std::map<std::string, store::ScheduleDefinition> stored;
    for (auto& record : store.schedules()) stored.emplace(record.schedule.name, std::move(record.schedule));
    ScheduleChanges changes;
    for (const config::Schedule& schedule : schedules) {
        const auto old = stored.extract(schedule.name);
        const auto change = old.empty()                               ? ScheduleChange::New
                            : old.mapped() == definition_of(schedule) ? ScheduleChange::Unchanged
                                                                      : ScheduleChange::Changed;
        changes.configured.emplace_back(schedule.name, change);
    }
    for (const auto& [name, definition] : stored) changes.not_configured.push_back(name);
    return changes;
}

ScheduleChanges put_schedules(store::Store& store, const std::vector<config::Schedule>& schedules,
                              const std::string& who) {
    ScheduleChanges changes = compare_schedules(store, schedules);
    for (const config::Schedule& schedule : schedules) store.put_schedule(definition_of(schedule), who);
    return changes;
}

void put_schedules_of(const config::Config& config, store::Store& store, const std::string& who, Log& log) {
    if (config.schedules.empty()) return;
    const ScheduleChanges changes = put_schedules(store, config.schedules, who);
    const auto count = [&](ScheduleChange change) { return std::to_string(changes.count(change)); };
    log.write({LogLevel::Info,
               "The schedules of the configuration are in the store",
               {{"file", config.file},
                {"new", count(ScheduleChange::New)},
                {"changed", count(ScheduleChange::Changed)},
                {"unchanged", count(ScheduleChange::Unchanged)}}});
}

}  // namespace holdfast::cli
