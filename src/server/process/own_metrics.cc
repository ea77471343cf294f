#include "server/process/own_metrics.h"

#include "base/text.h"
#include "server/process/registered.h"

namespace holdfast::server {

const prometheus::Histogram::BucketBoundaries& quick_buckets() {
    static const prometheus::Histogram::BucketBoundaries buckets = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                                                    0.25,  0.5,    1,     2.5,  5,     10};
    return buckets;
}

const prometheus::Histogram::BucketBoundaries& long_buckets() {
    static const prometheus::Histogram::BucketBoundaries buckets = {0.01, 0.05, 0.1, 0.5, 1,    2.5,  5,
                                                                    10,   30,   60,  300, 1800, 3600, 21600};
    return buckets;
}

double in_seconds(Duration length) {
    return std::chrono::duration<double>(length).count();
}

OwnMetrics::OwnMetrics()
    : registry_(std::make_shared<prometheus::Registry>()),
      requests_(registered(prometheus::BuildCounter(), *registry_, "holdfast_http_requests_total",
                           "Answered requests, by route, method and class of status")),
      request_seconds_(registered(prometheus::BuildHistogram(), *registry_, "holdfast_http_request_seconds",
                                  "How long requests took, by route")),
      sweep_seconds_(registered(prometheus::BuildHistogram(), *registry_, "holdfast_sweep_seconds",
                                "How long a pass of each recovery service took in this server")),
      sweep_failures_(registered(prometheus::BuildCounter(), *registry_, "holdfast_sweep_failures_total",
                                 "Passes of a recovery service in this server that failed")),
      sweep_done_(registered(prometheus::BuildCounter(), *registry_, "holdfast_sweep_done_total",
                             "What recovery in this server did, by service and kind")),
      store_seconds_(registered(prometheus::BuildHistogram(), *registry_, "holdfast_store_call_seconds",
                                "How long this server used the store, by what for")) {}

void OwnMetrics::answered(const std::string& route, const std::string& method, int status, Duration took) {
    requests_.Add({{"route", route}, {"method", method}, {"status", concat(status / 100, "xx")}}).Increment();
    request_seconds_.Add({{"route", route}}, quick_buckets()).Observe(in_seconds(took));
}

void OwnMetrics::swept(const engine::SweepReport& report) {
    for (const engine::ServicePass& pass : report.passes) {
        sweep_seconds_.Add({{"service", pass.service}}, quick_buckets()).Observe(in_seconds(pass.took));
        prometheus::Counter& failures = sweep_failures_.Add({{"service", pass.service}});
        if (!pass.failure.empty()) failures.Increment();
        for (const auto& [what, count] : engine::report_counts)
            if (pass.report.*count > 0)
                sweep_done_.Add({{"service", pass.service}, {"what", std::string(what)}})
                    .Increment(static_cast<double>(pass.report.*count));
    }
}

void OwnMetrics::used_store(const std::string& call, Duration took) {
    store_seconds_.Add({{"call", call}}, quick_buckets()).Observe(in_seconds(took));
}

}  // namespace holdfast::server
