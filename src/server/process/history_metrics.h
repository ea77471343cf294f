#pragma once

#include <atomic>
#include <map>
#include <set>
#include <string>

#include "server/api/history_reader.h"
#include "server/process/own_metrics.h"
#include "store/store.h"

namespace holdfast::server {

/// Limits the number of values of a label: the first 50 distinct values are kept, all later ones become "other".
/// Not thread-safe.
class LabelBounds {
public:
    [[nodiscard]] std::string bounded(const std::string& value) {
        if (known_.size() >= most && !known_.contains(value)) return "other";
        return *known_.insert(value).first;
    }

private:
    static constexpr std::size_t most = 50;
    std::set<std::string> known_;
};

/// Counts the work of all workers and sweepers of a store since this server began to read, with a short delay.
/// Every server of a store counts the same events.
class HistoryMetrics {
public:
    HistoryMetrics();

    /// Counts the events since the last call; the first call only finds the starting point. Throws StoreError; a
    /// later call then counts the missed events. Only one thread may call it.
    void read(store::Store& store);

    /// Returns the metrics; empty until the first read() has succeeded. From any thread.
    [[nodiscard]] Families collect() const { return has_begun_ ? registry_.Collect() : Families(); }

private:
    void begin(store::Store& store);
    void count_ended(store::Store& store);
    void count(const store::EndedTask& task);
    void count(const store::EventRecord& event);
    void count_beats(store::ClientStore& store);

    prometheus::Registry registry_;
    Counters& ended_ =
        counters(registry_, "holdfast_tasks_ended_total", "Tasks that ended, by state, queue and name");
    Histograms& wait_ = histograms(registry_, "holdfast_task_wait_seconds",
                                   "From when an ended task could have run to its last start, by queue");
    Histograms& run_ = histograms(registry_, "holdfast_task_run_seconds",
                                  "From the last start of an ended task to its end, by queue");
    prometheus::Counter& claims_ =
        counters(registry_, "holdfast_claims_total", "Leases that workers were granted").Add({});
    prometheus::Counter& beats_ = counters(registry_, "holdfast_worker_beats_total", "Beats of all workers").Add({});
    Counters& events_ = counters(registry_, "holdfast_events_total", "Lines of history, by their kind");
    Counters& verdicts_ = counters(registry_, "holdfast_verdicts_total",
                                   "Leases that recovery ended, by the evidence and by what became of the task");
    prometheus::Histogram& recovery_ = histograms(registry_, "holdfast_recovery_seconds",
                                                  "How old the evidence was when recovery ended a lease on it")
                                           .Add({}, long_buckets);
    prometheus::Counter& late_results_ = counters(registry_, "holdfast_late_results_refused_total",
                                                  "Results that came from workers whose lease had ended")
                                             .Add({});

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
