#pragma once

#include <prometheus/metric_family.h>

#include <vector>

#include "config/config.h"
#include "store/store.h"

namespace holdfast::server {

/// Returns the gauges of the current state of the store. A value that cannot be read is omitted rather than shown
/// as zero.
[[nodiscard]] std::vector<prometheus::MetricFamily> store_gauges(store::Store& store,
                                                                 const config::RecoveryConfig& recovery);

/// Returns a family of one gauge without labels.
[[nodiscard]] prometheus::MetricFamily gauge(const std::string& name, const std::string& help, double value);

}  // namespace holdfast::server
