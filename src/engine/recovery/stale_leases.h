#pragma once

#include <map>

#include "engine/recovery/bailiff.h"
#include "engine/recovery/observer.h"
#include "engine/worker/run_times.h"

namespace holdfast::engine {

/// Watches over the leases of workers that live. A run that is out of time is asked to stop, through the answer to
/// its worker's beat. A lease ends over its worker's head only when nothing was heard of its run, or its worker's
/// beats did not list it, for longer than the stale threshold; and only if its worker has not beaten since it was
/// judged, for that beat may tell otherwise.
class StaleLeases {
public:
    StaleLeases(store::RecoveryStore& store, Bailiff& bailiff, const Observer& observer, RunTimes& run_times,
                const core::Thresholds& thresholds)
        : store_(store), bailiff_(bailiff), observer_(observer), run_times_(run_times), thresholds_(thresholds) {}

    RecoveryReport run_once(Duration now);

private:
    struct Signs {
        Duration runner_age{};  ///< as the worker's last beat said it
        Duration said_at{};     ///< when this observer saw that beat
        std::int64_t beat = 0;
    };

    struct Live {
        core::WorkerSeen seen;
        std::int64_t beat = 0;  ///< the last one that is part of what was seen
    };

    void note_beats(Duration now);
    [[nodiscard]] Duration quiet_for(const store::LeaseRecord& lease, Duration now);
    void ask(const std::vector<store::StopRequest>& requests, RecoveryReport& report);

    store::RecoveryStore& store_;
    Bailiff& bailiff_;
    const Observer& observer_;
    RunTimes& run_times_;
    const core::Thresholds thresholds_;
    std::map<store::Lease, Signs> signs_;              // of leases that beats list as running
    std::map<store::Lease, Duration> unlisted_since_;  // of leases that they do not list
    std::map<Uuid, Live> live_;
};

}  // namespace holdfast::engine
