#pragma once

#include <string>
#include <vector>

#include "base/log.h"
#include "config/config.h"
#include "store/store.h"

namespace holdfast::cli {

/// The schedules of a configuration as a store has them.
[[nodiscard]] std::vector<store::ScheduleDefinition> definitions_of(const std::vector<config::Schedule>& schedules);

/// Puts the schedules and the concurrency keys of a configuration into the store, and logs what changed: what a
/// service with a configuration file does when it starts.
void put_catalog(const config::Config& config, store::Store& store, const std::string& who, Log& log);

}  // namespace holdfast::cli
