#pragma once

#include <string>
#include <vector>

#include "base/log.h"
#include "config/config.h"
#include "store/store.h"

namespace holdfast::cli {

/// The schedules of a configuration, in the form that a store keeps.
[[nodiscard]] std::vector<store::ScheduleDefinition> definitions_of(const std::vector<config::Schedule>& schedules);

/// Writes the schedules and concurrency keys of a configuration into the store, and logs the changes. A service with
/// a configuration file calls this when it starts.
void put_catalog(const config::Config& config, store::Store& store, const std::string& who, Log& log);

}  // namespace holdfast::cli
