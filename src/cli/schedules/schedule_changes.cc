#include "cli/schedules/schedule_changes.h"

#include "client/schedule_operations.h"
#include "core/calendar/schedule_text.h"

namespace holdfast::cli {

std::vector<store::ScheduleDefinition> definitions_of(const std::vector<config::Schedule>& schedules) {
    std::vector<store::ScheduleDefinition> definitions;
    for (const config::Schedule& schedule : schedules)
        definitions.push_back({.name = schedule.name,
                               .timing = core::to_json_text(schedule.timing),
                               .definition = schedule.definition,
                               .input = schedule.input});
    return definitions;
}

void put_schedules_of(const config::Config& config, store::Store& store, const std::string& who, Log& log) {
    if (config.schedules.empty()) return;
    const auto changes = client::put_schedules(store, definitions_of(config.schedules), who);
    const auto count = [&](client::ScheduleChange change) { return std::to_string(changes.count(change)); };
    log.write({LogLevel::Info,
               "The schedules of the configuration are in the store",
               {{"file", config.file},
                {"new", count(client::ScheduleChange::New)},
                {"changed", count(client::ScheduleChange::Changed)},
                {"unchanged", count(client::ScheduleChange::Unchanged)}}});
}

}  // namespace holdfast::cli
