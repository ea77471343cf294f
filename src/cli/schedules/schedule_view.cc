#include "cli/schedules/schedule_view.h"

#include <fmt/format.h>

#include "cli/session.h"
#include "cli/terminal/words.h"

namespace holdfast::cli {

store::ScheduleRecord find_schedule(store::Store& store, const std::string& name) {
    std::vector<std::string> names;
    for (auto& record : store.schedules()) {
        if (record.schedule.name == name) return std::move(record);
        names.push_back(record.schedule.name);
    }
    throw UnknownSchedule(fmt::format("there is no schedule '{}'{}; 'holdfast schedules list' shows those there are",
                                      name, suggestion(name, names)));
}

}  // namespace holdfast::cli
