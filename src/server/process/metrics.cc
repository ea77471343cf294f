#include "server/process/metrics.h"

#include <prometheus/text_serializer.h>

#include "base/text.h"
#include "server/process/store_gauges.h"

namespace holdfast::server {

namespace {

constexpr Duration history_interval = std::chrono::seconds(5);
constexpr Duration store_gauges_patience = std::chrono::seconds(1);

using Families = std::vector<prometheus::MetricFamily>;

void append(Families& families, const Families& more) {
    families.insert(families.end(), more.begin(), more.end());
}

prometheus::MetricFamily build_info(const std::string& version) {
    prometheus::MetricFamily family = gauge("holdfast_build_info", "1, with the version of this server", 1);
    family.metric.front().label = {{"version", version}};
    return family;
}

prometheus::MetricFamily refused(std::uint64_t count) {
    prometheus::MetricFamily family{.name = "holdfast_http_refused_total",
                                    .help = "Connections and requests that a limit turned away",
                                    .type = prometheus::MetricType::Counter,
                                    .metric = {}};
    family.metric.emplace_back().counter.value = static_cast<double>(count);
    return family;
}

Families http_families(const http::ServerCounts& counts) {
    return {gauge("holdfast_http_connections", "Open connections", static_cast<double>(counts.connections)),
            gauge("holdfast_http_streams", "Open event streams", static_cast<double>(counts.streams)),
            gauge("holdfast_http_waiting_requests", "Requests that wait for a thread",
                  static_cast<double>(counts.waiting)),
            refused(counts.refused)};
}

/// Removes the families that lack samples.
void drop_empty(Families& families) {
    std::erase_if(families, [](const prometheus::MetricFamily& family) { return family.metric.empty(); });
}

}  // namespace

Metrics::Metrics(MetricsParts parts, const OwnMetrics& own, Log& log)
    : parts_(std::move(parts)), own_(own), log_(log), thread_([this] { run(); }) {}

Metrics::~Metrics() {
    {
        const std::scoped_lock lock(stop_mutex_);
        stopping_ = true;
    }
    stop_signal_.notify_all();
    thread_.join();
}

std::string Metrics::text() {
    Families families = {build_info(parts_.version)};
    append(families, http_families(parts_.http_counts()));
    families.push_back(
        gauge("holdfast_sweeping", "1: this server holds the sweep row", parts_.is_sweeping() ? 1 : 0));
    append(families, own_.collect());
    append(families, history_.collect());
    const Families from_store = gauges();
    families.push_back(
        gauge("holdfast_store_up", "1: this server could read the store just now", from_store.empty() ? 0 : 1));
    append(families, from_store);
    drop_empty(families);
    return prometheus::TextSerializer().Serialize(families);
}

Families Metrics::gauges() {
    // While the store hangs, one request waits for it; the others give up and report the metrics from memory.
    const std::unique_lock lock(mutex_, store_gauges_patience);
    if (!lock.owns_lock()) return {};
    try {
        return store_gauges(store(), parts_.config()->recovery);
    } catch (const StoreError&) {
        return {};
    }
}

store::Store& Metrics::store() {
    if (store_ == nullptr) store_ = parts_.open_store();
    return *store_;
}

void Metrics::run() {
    std::unique_lock lock(stop_mutex_);
    do {
        lock.unlock();
        read_history();
        lock.lock();
    } while (!stop_signal_.wait_for(lock, history_interval, [this] { return stopping_; }));
}

void Metrics::read_history() {
    const std::scoped_lock lock(mutex_);
    try {
        history_.read(store());
        is_away_ = false;
    } catch (const StoreError& fault) {
        if (!std::exchange(is_away_, true))
            log_.write({LogLevel::Warning, concat("The metrics cannot be read from the store: ", fault.what()), {}});
    }
}

}  // namespace holdfast::server
