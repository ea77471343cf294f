#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.h"
#include "store/store.h"

namespace holdfast::cli {

/// What a schedule of the configuration is to the store.
enum class ScheduleChange { New, Changed, Unchanged };
[[nodiscard]] std::string_view to_text(ScheduleChange change);  ///< "new", "changed", "unchanged"

struct ScheduleChanges {
    std::vector<std::pair<std::string, ScheduleChange>> configured = {};  ///< by name, in the order of the file
    std::vector<std::string> not_configured = {};                         ///< only the store has them

    [[nodiscard]] std::ptrdiff_t count(ScheduleChange change) const;
};

[[nodiscard]] ScheduleChanges compare_schedules(store::Store& store, const std::vector<config::Schedule>& schedules);

/// Puts them into the store, and removes nothing. What they were to it before.
ScheduleChanges put_schedules(store::Store& store, const std::vector<config::Schedule>& schedules,
                              const std::string& who);

/// What a service with a configuration file does for its schedules when it starts: puts them in, and says so.
void put_schedules_of(const config::Config& config, store::Store& store, const std::string& who, Log& log);

}  // namespace holdfast::cli
