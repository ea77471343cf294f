#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/workflow/workflow.h"
#include "engine/recovery/sweeper.h"
#include "engine/worker/worker_settings.h"
#include "proof/sim/dice.h"

namespace holdfast::sim {

/// The parameters of a simulated world, drawn from its seed.
struct WorldPlan {
    /// All processes on one machine, which knows for certain which of them live, as with an SQLite file; else on
    /// several machines that share a database server, as with PostgreSQL.
    bool one_machine = true;
    int machines = 1;
    int workers = 3;
    int sweepers = 2;
    int clients = 2;
    bool workers_sweep = false;  ///< as real workers do; costs store calls
    int capacity = 2;
    std::size_t tasks = 100;
    std::size_t jobs = 0;
    int schedules = 0;                             ///< how many names for schedules clients use
    Duration busy_for = std::chrono::minutes(20);  ///< how long there are faults and new tasks
    /// When the store goes away for 1 h to 2 h, if the run has outages; the busy time grows by as much.
    std::optional<Duration> long_outage_at = {};
    int first_schema =
        0;  ///< version of the database at the start, migrated by the first process that opens it; 0: new
    Duration beat_interval = std::chrono::seconds(3);
    engine::SweepSettings sweep;
    std::vector<std::string> queues;
    std::vector<std::string> keys;                ///< of concurrency; tasks ask for any limit up to most_asked
    std::map<std::string, int> shared_keys = {};  ///< the declared shared keys, with their limits
    double call_latency_ms = 1;                   ///< of most store calls, at most
    bool only_submits = false;                    ///< clients only submit
    bool in_bursts = false;                       ///< many short tasks at once, so that workers claim ahead
    engine::ClaimsGo claims_go = engine::ClaimsGo::InTurns;
    /// Of a small world, whose tasks can run at once and end soon: it stops when all have ended, but not before this.
    std::optional<Duration> stops_after = {};
    Duration starts_within = std::chrono::seconds(2);     ///< when every process has started
    Duration restarts_within = std::chrono::seconds(30);  ///< when a dead process is started again
    std::vector<core::WorkflowBundle> workflows = {};     ///< of the jobs; empty: drawn
};

inline constexpr int most_asked = 3;

[[nodiscard]] WorldPlan draw_plan(Dice dice);
/// The settings of workers in this world, without their identity.
[[nodiscard]] engine::WorkerSettings worker_settings(const WorldPlan& plan);
/// How long everything may take to end after the last fault.
[[nodiscard]] Duration settling_bound(const WorldPlan& plan);

}  // namespace holdfast::sim
