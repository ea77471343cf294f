#pragma once

#include <string>
#include <vector>

#include "base/log.h"
#include "config/config.h"
#include "store/store.h"

namespace holdfast::cli {

/// The schedules of a configuration as a store has them.
[[nodiscard]] std::vector<store::ScheduleDefinition> definitions_of(const std::vector<config::Schedule>& schedules);

/// What a service with a configuration file does for its schedules when it starts: puts them in, and says so.
void put_schedules_of(const config::Config& config, store::Store& store, const std::string& who, Log& log);

}  // namespace holdfast::cli
