#pragma once

#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/recovery/sweeper.h"
#include "server/http/server.h"
#include "server/process/label_bounds.h"

namespace holdfast::server {

/// What this process counts of its own doing. From any thread.
class OwnMetrics {
public:
    OwnMetrics();

    /// An answered request: `route` is its pattern, "/api/tasks/{id}".
    void answered(const std::string& route, const std::string& method, int status, Duration took);
    void swept(const engine::SweepReport& report);
    /// `call`: what the store was used for.
    void used_store(const std::string& call, Duration took);

    [[nodiscard]] std::vector<prometheus::MetricFamily> collect() const { return registry_->Collect(); }

private:
    std::shared_ptr<prometheus::Registry> registry_;
    prometheus::Family<prometheus::Counter>& requests_;
    prometheus::Family<prometheus::Histogram>& request_seconds_;
    prometheus::Family<prometheus::Histogram>& sweep_seconds_;
    prometheus::Family<prometheus::Counter>& sweep_failures_;
    prometheus::Family<prometheus::Counter>& sweep_done_;
    prometheus::Family<prometheus::Histogram>& store_seconds_;
};

/// Seconds, from a fast answer to a slow one.
[[nodiscard]] const prometheus::Histogram::BucketBoundaries& quick_buckets();
/// Seconds, from a short task to one of hours.
[[nodiscard]] const prometheus::Histogram::BucketBoundaries& long_buckets();
[[nodiscard]] double in_seconds(Duration length);

}  // namespace holdfast::server
