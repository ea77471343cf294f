#include "client/schedule_operations.h"

#include <algorithm>
#include <map>

namespace holdfast::client {

std::ptrdiff_t ScheduleChanges::count(ScheduleChange change) const {
    return std::ranges::count(configured, change, &std::pair<std::string, ScheduleChange>::second);
}

ScheduleChanges compare_schedules(store::ClientStore& store, const std::vector<store::ScheduleDefinition>& wanted) {
    std::map<std::string, store::ScheduleDefinition> stored;
    for (auto& record : store.schedules()) stored.emplace(record.schedule.name, std::move(record.schedule));
    ScheduleChanges changes;
    for (const store::ScheduleDefinition& schedule : wanted) {
        const auto old = stored.extract(schedule.name);
        const auto change = old.empty()                ? ScheduleChange::New
                            : old.mapped() == schedule ? ScheduleChange::Unchanged
                                                       : ScheduleChange::Changed;
        changes.configured.emplace_back(schedule.name, change);
    }
    for (const auto& [name, definition] : stored) changes.not_configured.push_back(name);
    return changes;
}

ScheduleChanges put_schedules(store::Store& store, const std::vector<store::ScheduleDefinition>& wanted,
                              const std::string& who) {
    ScheduleChanges changes = compare_schedules(store, wanted);
    for (const store::ScheduleDefinition& schedule : wanted) store.put_schedule(schedule, who);
    return changes;
}

}  // namespace holdfast::client
