#pragma once

#include <prometheus/metric_family.h>

#include <vector>

#include "config/config.h"
#include "store/store.h"

namespace holdfast::server {

/// How things stand in the store now. What cannot be read is left out, never told as zero.
[[nodiscard]] std::vector<prometheus::MetricFamily> store_gauges(store::Store& store,
                                                                 const config::RecoveryConfig& recovery);

/// A family with one gauge, without labels.
[[nodiscard]] prometheus::MetricFamily gauge(const std::string& name, const std::string& help, double value);

}  // namespace holdfast::server
