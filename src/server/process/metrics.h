#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "base/log.h"
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

/// Collects all metrics for /metrics; docs/metrics.md lists the source of each. It reads the store in its own thread
/// and on its own connection, so that no scrape waits for a store that hangs.
class Metrics {
public:
    /// `own` and `log` must outlive this object.
    Metrics(MetricsParts parts, const OwnMetrics& own, Log& log);
    Metrics(const Metrics&) = delete;
    Metrics& operator=(const Metrics&) = delete;

    /// Returns the metrics in the text format of Prometheus. Those of the store are missing when it does not answer
    /// within a second. From any thread; concurrent calls share one read.
    [[nodiscard]] std::string text();

private:
    using Steady = std::chrono::steady_clock;

    [[nodiscard]] Families fresh_gauges();

    // In the thread:
    void run(const std::stop_token& stop);
    void read_history();
    [[nodiscard]] Families read_gauges();
    /// Returns the store, opened on first use. Throws StoreError.
    store::Store& store();

    const MetricsParts parts_;
    const OwnMetrics& own_;
    Log& log_;
    HistoryMetrics history_;
    bool is_away_ = false;  // used by the thread only, as is the store
    std::unique_ptr<store::Store> store_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::uint64_t asked_ = 0, answered_ = 0;           // guarded by mutex_: the number of the last scrape
    Families gauges_;                                  // guarded by mutex_: read for the scrape `answered_`
    std::optional<Steady::time_point> reading_since_;  // guarded by mutex_: the thread uses the store
    std::jthread thread_;
};

}  // namespace holdfast::server
