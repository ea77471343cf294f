#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "base/log.h"
#include "base/patient_mutex.h"
#include "config/config.h"
#include "server/http/server.h"
#include "server/process/history_metrics.h"
#include "server/process/own_metrics.h"

namespace holdfast::server {

struct MetricsParts {
    std::function<std::unique_ptr<store::Store>()> open_store;
    std::function<std::shared_ptr<const config::Config>()> config;
    std::function<http::ServerCounts()> http_counts;
    std::function<bool()> is_sweeping;
};

/// Collects all metrics for /metrics; docs/metrics.md lists the source of each. It reads the history of the store
/// in its own thread and on its own connection.
class Metrics {
public:
    /// `own` and `log` must outlive this object.
    Metrics(MetricsParts parts, const OwnMetrics& own, Log& log);
    Metrics(const Metrics&) = delete;
    Metrics& operator=(const Metrics&) = delete;

    /// Returns the metrics in the text format of Prometheus. From any thread; concurrent calls take turns.
    [[nodiscard]] std::string text();

private:
    void run(const std::stop_token& stop);
    void read_history();
    /// Returns the store, opened on first use. Call it with mutex_ held. Throws StoreError.
    store::Store& store();
    [[nodiscard]] Families gauges();

    const MetricsParts parts_;
    const OwnMetrics& own_;
    Log& log_;
    HistoryMetrics history_;
    bool is_away_ = false;
    PatientMutex mutex_;
    std::unique_ptr<store::Store> store_;  // guarded by mutex_
    std::jthread thread_;
};

}  // namespace holdfast::server
