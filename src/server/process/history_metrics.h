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

/// What workers and sweepers, wherever they are, did since this server began to read: counted from the store, a
/// little late. Every server of a store counts the same.
class HistoryMetrics {
public:
    HistoryMetrics();

    /// Counts what has happened since the last time; the first time only finds out where to begin. Throws StoreError:
    /// nothing is lost by that. From one thread.
    void read(store::Store& store);

    /// From any thread. Nothing until it has begun.
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
