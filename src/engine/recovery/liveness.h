#pragma once

#include <optional>

#include "engine/ports.h"
#include "engine/recovery/observer.h"
#include "engine/recovery/verdict_writer.h"

namespace holdfast::engine {

/// Finds dead workers, and workers without a row that leases name, and ends their leases. Reads one row per worker,
/// whatever the number of tasks; reads the leases of a worker only when there is evidence against it. Everything
/// derives from the store: when a sweeper dies between marking a worker and settling its leases, the next one finds
/// them.
class Liveness {
public:
    /// `self`: the worker of this process, which it never judges.
    Liveness(store::RecoveryStore& store, HostWatch& host, VerdictWriter& verdict_writer, Observer& observer,
             RunTimes& run_times, const core::Thresholds& thresholds, Stopwatch stopwatch,
             const std::optional<Uuid>& self)
        : store_(store),
          host_(host),
          verdict_writer_(verdict_writer),
          observer_(observer),
          run_times_(run_times),
          thresholds_(thresholds),
          stopwatch_(std::move(stopwatch)),
          self_(self) {}

    /// Every process acts on certain evidence; only the one that `sweeps` acts on the rest. Observations count from
    /// the moment the look has returned, because a slow look must not make them look older.
    RecoveryReport run_once(bool sweeps);
    /// Whether, by the last look, another process would judge the worker of this process as lost.
    [[nodiscard]] bool has_lost_itself() const { return has_lost_itself_; }

private:
    void look_at(const store::WorkerLiveness& worker, const core::WorkerSeen& seen, bool sweeps,
                 RecoveryReport& report, Duration now);
    [[nodiscard]] bool is_lost(const core::WorkerSeen& seen) const;
    void count_runs(const Uuid& worker, Duration now);
    void recover(const store::WorkerLiveness& worker, const core::WorkerSeen& seen, RecoveryReport& report,
                 Duration now);
    bool mark(const store::WorkerLiveness& worker, const core::WorkerSeen& seen, RecoveryReport& report,
              Duration now);
    [[nodiscard]] bool clear_away(const store::WorkerLiveness& worker, RecoveryReport& report);
    void settle(const store::WorkerLiveness& worker, const core::WorkerSeen& seen, RecoveryReport& report,
                Duration now);
    [[nodiscard]] core::Verdict judge(const store::WorkerLiveness& worker, const store::LeaseRecord& lease,
                                      const core::WorkerSeen& seen, Duration now);

    store::RecoveryStore& store_;
    HostWatch& host_;
    VerdictWriter& verdict_writer_;
    Observer& observer_;
    RunTimes& run_times_;
    const core::Thresholds thresholds_;
    const Stopwatch stopwatch_;
    const std::optional<Uuid> self_;
    bool has_lost_itself_ = false;
};

/// What a verdict needs to know about a lease.
[[nodiscard]] core::LeaseSeen lease_seen(const store::LeaseRecord& lease);

}  // namespace holdfast::engine
