#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/ports.h"
#include "engine/recovery/job_services.h"
#include "engine/recovery/liveness.h"
#include "engine/recovery/observer.h"
#include "engine/recovery/retention.h"
#include "engine/recovery/scheduler.h"
#include "engine/recovery/stale_leases.h"
#include "engine/recovery/unmatched.h"
#include "engine/recovery/verdict_writer.h"

namespace holdfast::engine {

struct SweepSettings {
    core::Thresholds thresholds;
    Duration check_interval = std::chrono::seconds(30);
    Duration unmatched_grace = std::chrono::seconds(30);
    core::UnmatchedRule unmatched_steps = core::UnmatchedRule::Known;
    std::optional<Uuid> self = {};  ///< the worker of this process: no process judges itself
    RetentionSettings retention;
    /// Finds the time zones of schedules; by default only UTC.
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
    bool holds_lease = false;  ///< this sweeper also acts on evidence that is not certain
    std::vector<ServicePass> passes;
};

/// Recovery, which any number of processes may run at once, without a leader (P9). Each acts on certain evidence.
/// Only the holder of a row of the store acts on the rest; the row lapses when it is not renewed, and a new holder
/// counts from its own first look. A service that fails does not block the others.
class Sweeper {
public:
    /// `who`: the name of this process in events. `host`, `store` and `random` must outlive the sweeper.
    Sweeper(store::RecoveryStore& store, HostWatch& host, Random& random, std::string who,
            const SweepSettings& settings, Stopwatch stopwatch);

    /// To be called every second. Throws Unavailable when the store is unreachable; all counts then restart.
    SweepReport run_once(Duration now);
    /// Runs every service now, even if another process sweeps, on any evidence.
    SweepReport run_all(Duration now);
    /// Lets another process take over at once.
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
    VerdictWriter verdict_writer_;
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
