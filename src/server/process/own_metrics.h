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

/// The metrics of this process itself. From any thread.
class OwnMetrics {
public:
    OwnMetrics();

    /// Counts an answered request; `route` is its pattern, such as "/api/tasks/{id}".
    void answered(const std::string& route, const std::string& method, int status, Duration took);
    void swept(const engine::SweepReport& report);
    /// Counts a store call; `call` is its verb.
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

/// Bucket bounds in seconds for requests, sweeps and store calls.
[[nodiscard]] const prometheus::Histogram::BucketBoundaries& quick_buckets();
/// Bucket bounds in seconds for the duration of tasks, up to hours.
[[nodiscard]] const prometheus::Histogram::BucketBoundaries& long_buckets();
[[nodiscard]] double in_seconds(Duration length);

}  // namespace holdfast::server
