#pragma once

#include <optional>

#include "engine/bailiff.h"
#include "engine/observer.h"
#include "engine/ports.h"

namespace holdfast::engine {

/// Finds dead workers and ends their leases. One row is read per worker, whatever the number of tasks; the leases of
/// a worker are read only once it is found dead. Everything derives from what is in the store: whoever dies between
/// marking a worker and settling its leases leaves them to be found by the next.
class Liveness {
public:
    Liveness(store::Store& store, HostWatch& host, Bailiff& bailiff, Observer& observer,
             const core::Thresholds& thresholds, Stopwatch stopwatch)
        : store_(store),
          host_(host),
          bailiff_(bailiff),
          observer_(observer),
          thresholds_(thresholds),
          stopwatch_(std::move(stopwatch)) {}

    /// Certain evidence is acted upon by everybody; the rest only by whoever `sweeps`. What is seen counts from when
    /// the look has returned: a look that took long must not make anything older than it is.
    RecoveryReport run_once(bool sweeps);

private:
    [[nodiscard]] bool is_lost(const core::WorkerSeen& seen) const;
    void recover(const store::WorkerLiveness& worker, const core::WorkerSeen& seen, RecoveryReport& report,
                 Duration now);
    bool mark(const store::WorkerLiveness& worker, const core::WorkerSeen& seen, RecoveryReport& report,
              Duration now);
    void settle(const store::WorkerLiveness& worker, const core::WorkerSeen& seen, RecoveryReport& report,
                Duration now);
    [[nodiscard]] core::Verdict judge(const store::WorkerLiveness& worker, const store::LeaseRecord& lease,
                                      const core::WorkerSeen& seen);

    store::Store& store_;
    HostWatch& host_;
    Bailiff& bailiff_;
    Observer& observer_;
    const core::Thresholds thresholds_;
    const Stopwatch stopwatch_;
};

/// What a verdict needs to know about a lease.
[[nodiscard]] core::LeaseSeen lease_seen(const store::LeaseRecord& lease);

}  // namespace holdfast::engine
