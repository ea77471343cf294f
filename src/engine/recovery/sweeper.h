#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/ports.h"
#include "engine/recovery/bailiff.h"
#include "engine/recovery/job_repair.h"
#include "engine/recovery/job_timers.h"
#include "engine/recovery/liveness.h"
#include "engine/recovery/observer.h"
#include "engine/recovery/retention.h"
#include "engine/recovery/scheduler.h"
#include "engine/recovery/stale_leases.h"
#include "engine/recovery/unmatched.h"

namespace holdfast::engine {

struct SweepSettings {
    core::Thresholds thresholds;
    Duration check_interval = std::chrono::seconds(30);
    Duration unmatched_grace = std::chrono::seconds(30);
    core::UnmatchedRule unmatched_steps = core::UnmatchedRule::Known;
    std::optional<Uuid> self = {};  ///< the worker of this very process: no process judges itself
    RetentionSettings retention;
    /// Where the zones of schedules come from; without one there is UTC only.
    Zones zones = [](const std::string& name) -> Result<core::TimeZone, std::string> {
        if (name == "UTC") return core::TimeZone::utc();
        return Failure{"no time zones are known here, not " + name};
    };
};

/// What a service did in one pass, or why it could not.
struct ServicePass {
    std::string service;
    RecoveryReport report;
    std::string failure;  ///< empty: none
    Duration took = {};
};
struct SweepReport {
    bool holds_lease = false;  ///< this sweeper is the one that acts on what is not certain
    std::vector<ServicePass> passes;
};

/// Recovery: any number of processes may do it at once, no leader is needed (P9). Everybody acts on certain evidence;
/// for the rest one holds a row of the store, which lapses when it does not renew it, and a new holder counts from
/// when it began to look. A service that fails does not keep the others from their work.
class Sweeper {
public:
    /// `who`: this process, as people and other sweepers know it. `host`, `store` and `random` outlive it.
    Sweeper(store::RecoveryStore& store, HostWatch& host, Random& random, std::string who, const SweepSettings& settings,
            Stopwatch stopwatch);

    /// To be called every second. Throws Unavailable when the store cannot be reached; all counts then start anew.
    SweepReport run_once(Duration now);
    /// Every service now, whether or not another process sweeps, on whatever evidence there is.
    SweepReport run_all(Duration now);
    /// Lets another take over at once.
    void give_up();

    [[nodiscard]] const Observer& observer() const { return observer_; }

private:
    void pass(SweepReport& report, const std::string& service, const std::function<RecoveryReport()>& work);
    void run_services(SweepReport& report, Duration now);
    void step_aside(Duration now);

    store::RecoveryStore& store_;
    const std::string who_;
    const SweepSettings settings_;
    const Stopwatch stopwatch_;
    Observer observer_;
    Bailiff bailiff_;
    RunTimes run_times_;
    Liveness liveness_;
    StaleLeases stale_leases_;
    Unmatched unmatched_;
    JobTimers job_timers_;
    JobRepair job_repair_;
    Scheduler scheduler_;
    Retention retention_;
    bool holds_lease_ = false;
    Duration renew_at_{};
    Duration check_at_{};
};

}  // namespace holdfast::engine
