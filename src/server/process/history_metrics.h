#pragma once

#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "server/api/history_reader.h"
#include "server/process/label_bounds.h"
#include "store/store.h"

namespace holdfast::server {

/// Counts the work of all workers and sweepers of a store since this server began to read, with a short delay.
/// Every server of a store counts the same events.
class HistoryMetrics {
public:
    HistoryMetrics();

    /// Counts the events since the last call; the first call only finds the starting point. Throws StoreError; a
    /// later call then counts the missed events. Only one thread may call it.
    void read(store::Store& store);

    /// Returns the metrics; empty until the first read() has succeeded. From any thread.
    [[nodiscard]] std::vector<prometheus::MetricFamily> collect() const {
        return has_begun_ ? registry_->Collect() : std::vector<prometheus::MetricFamily>();
    }

private:
    void begin(store::Store& store);
    void count_ended(store::Store& store);
    void count(const store::EndedTask& task);
    void count(const store::EventRecord& event);
    void count_beats(store::ClientStore& store);

    std::shared_ptr<prometheus::Registry> registry_;
    prometheus::Family<prometheus::Counter>& ended_;
    prometheus::Family<prometheus::Histogram>& wait_;
    prometheus::Family<prometheus::Histogram>& run_;
    prometheus::Counter& claims_;
    prometheus::Counter& beats_;
    prometheus::Family<prometheus::Counter>& events_;
    prometheus::Family<prometheus::Counter>& verdicts_;
    prometheus::Histogram& recovery_;
    prometheus::Counter& late_results_;

    LabelBounds names_;
    LabelBounds queues_;
    LabelBounds kinds_;
    std::atomic<bool> has_begun_ = false;
    Timestamp ended_until_{};
    store::Lease last_lease_ = 0;
    api::HistoryReader history_;
    std::map<Uuid, std::int64_t> beats_of_;
};

}  // namespace holdfast::server
