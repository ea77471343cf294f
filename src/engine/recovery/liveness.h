#pragma once

#include <optional>

#include "engine/ports.h"
#include "engine/recovery/bailiff.h"
#include "engine/recovery/observer.h"
#include "engine/worker/run_times.h"

namespace holdfast::engine {

/// Finds dead workers, and workers that leases name and that have no row, and ends their leases. One row is read per
/// worker, whatever the number of tasks; the leases of a worker are read only once nothing is heard of it. Everything
/// derives from what is in the store: whoever dies between marking a worker and settling its leases leaves them to be
/// found by the next.
class Liveness {
public:
    /// `self`: the worker of this very process, which it never judges.
    Liveness(store::RecoveryStore& store, HostWatch& host, Bailiff& bailiff, Observer& observer, RunTimes& run_times,
             const core::Thresholds& thresholds, Stopwatch stopwatch, const std::optional<Uuid>& self)
        : store_(store),
          host_(host),
          bailiff_(bailiff),
          observer_(observer),
          run_times_(run_times),
          thresholds_(thresholds),
          stopwatch_(std::move(stopwatch)),
          self_(self) {}

    /// Certain evidence is acted upon by everybody; the rest only by whoever `sweeps`. What is seen counts from when
    /// the look has returned: a look that took long must not make anything older than it is.
    RecoveryReport run_once(bool sweeps);
    /// Would another process have given up this one's own worker, by the last look?
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
    Bailiff& bailiff_;
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
