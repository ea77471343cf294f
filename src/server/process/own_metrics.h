#pragma once

#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <memory>
#include <string>
#include <vector>

#include "client/lost_submits.h"
#include "engine/recovery/sweeper.h"
#include "store/store.h"

namespace holdfast::server {

using Families = std::vector<prometheus::MetricFamily>;
using Counters = prometheus::Family<prometheus::Counter>;
using Histograms = prometheus::Family<prometheus::Histogram>;

[[nodiscard]] inline Counters& counters(prometheus::Registry& registry, const char* name, const char* help) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}
[[nodiscard]] inline Histograms& histograms(prometheus::Registry& registry, const char* name, const char* help) {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
}

/// Bucket bounds in seconds for requests, sweeps and store calls.
inline const prometheus::Histogram::BucketBoundaries quick_buckets = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                                                      0.25,  0.5,    1,     2.5,  5,     10};
/// Bucket bounds in seconds for the duration of tasks, up to hours.
inline const prometheus::Histogram::BucketBoundaries long_buckets = {0.01, 0.05, 0.1, 0.5, 1,    2.5,  5,
                                                                     10,   30,   60,  300, 1800, 3600, 21600};

[[nodiscard]] inline double in_seconds(Duration length) {
    return std::chrono::duration<double>(length).count();
}

/// The metrics of this process itself. From any thread.
class OwnMetrics {
public:
    /// Counts an answered request; `route` is its pattern, such as "/api/tasks/{id}".
    void answered(const std::string& route, const std::string& method, int status, Duration took);
    void swept(const engine::SweepReport& report);
    void lost(const LostSubmits& submits);
    /// Returns a store that forwards to `store` and counts the duration of each call. This object must outlive it.
    [[nodiscard]] std::unique_ptr<store::Store> timed(std::unique_ptr<store::Store> store);

    [[nodiscard]] Families collect() const { return registry_.Collect(); }

private:
    prometheus::Registry registry_;
    Counters& requests_ = counters(registry_, "holdfast_http_requests_total",
                                   "Answered requests, by route, method and class of status");
    Histograms& request_seconds_ =
        histograms(registry_, "holdfast_http_request_seconds", "How long requests took, by route");
    Histograms& sweep_seconds_ = histograms(registry_, "holdfast_sweep_seconds",
                                            "How long a pass of each recovery service took in this server");
    Counters& sweep_failures_ = counters(registry_, "holdfast_sweep_failures_total",
                                         "Passes of a recovery service in this server that failed");
    Counters& sweep_done_ =
        counters(registry_, "holdfast_sweep_done_total", "What recovery in this server did, by service and kind");
    prometheus::Counter& submits_lost_ =
        counters(registry_, "holdfast_submits_lost_total",
                 "Tasks and jobs submitted through this server that the store lost when it went back in time")
            .Add({});
    Histograms& store_seconds_ =
        histograms(registry_, "holdfast_store_call_seconds", "How long this server used the store, by what for");
};

}  // namespace holdfast::server
