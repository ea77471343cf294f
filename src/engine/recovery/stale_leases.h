#pragma once

#include <map>

#include "engine/recovery/observer.h"
#include "engine/recovery/verdict_writer.h"

namespace holdfast::engine {

/// Watches the leases of live workers. Asks a run that is out of time to stop, through the answer to its worker's
/// beat. Ends a lease without its worker only when its run gave no sign of life, or its worker's beats did not list
/// it, for longer than the stale threshold; and only if the worker has not beaten since the verdict, because that
/// beat may refute it.
class StaleLeases {
public:
    StaleLeases(store::RecoveryStore& store, VerdictWriter& verdict_writer, const Observer& observer,
                RunTimes& run_times, const core::Thresholds& thresholds)
        : store_(store),
          verdict_writer_(verdict_writer),
          observer_(observer),
          run_times_(run_times),
          thresholds_(thresholds) {}

    RecoveryReport run_once(Duration now);

private:
    struct Signs {
        Duration runner_age{};  ///< by the worker's last beat
        Duration said_at{};     ///< when this observer saw that beat
        std::int64_t beat = 0;
    };

    struct Live {
        core::WorkerSeen seen;
        std::int64_t beat = 0;  ///< the last one that `seen` includes
    };

    void note_beats(Duration now);
    [[nodiscard]] Duration quiet_for(const store::LeaseRecord& lease, Duration now);
    void ask(const std::vector<store::StopRequest>& requests, RecoveryReport& report);

    store::RecoveryStore& store_;
    VerdictWriter& verdict_writer_;
    const Observer& observer_;
    RunTimes& run_times_;
    const core::Thresholds thresholds_;
    std::map<store::Lease, Signs> signs_;              // of leases that beats list as running
    std::map<store::Lease, Duration> unlisted_since_;  // of leases that they do not list
    std::map<Uuid, Live> live_;
};

}  // namespace holdfast::engine
