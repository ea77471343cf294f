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

/// How a simulated world is made, drawn from its seed.
struct WorldPlan {
    /// All on one machine, which knows for certain who lives, as with an SQLite file; else machines that share a
    /// database server, as with PostgreSQL.
    bool one_machine = true;
    int machines = 1;
    int workers = 3;
    int sweepers = 2;
    int clients = 2;
    bool workers_sweep = false;  ///< as the real ones do; costs store calls
    int capacity = 2;
    std::size_t tasks = 100;
    std::size_t jobs = 0;
    int schedules = 0;                             ///< how many names of them clients use
    Duration busy_for = std::chrono::minutes(20);  ///< how long there are faults and new tasks
    /// Then the store is away for 1 h to 2 h, if there are outages at all, and the world is busy for so much longer.
    std::optional<Duration> long_outage_at = {};
    int first_schema = 0;  ///< the database is of this version, and whoever opens it first migrates it; 0: it is new
    Duration beat_interval = std::chrono::seconds(3);
    engine::SweepSettings sweep;
    std::vector<std::string> queues;
    std::vector<std::string> keys;                ///< of concurrency; tasks ask for any limit up to most_asked
    std::map<std::string, int> shared_keys = {};  ///< those of them that are declared shared, and their limits
    double call_latency_ms = 1;                   ///< of most store calls, at most
    bool only_submits = false;                    ///< clients steer nothing
    bool in_bursts = false;                       ///< many short tasks at once, so that workers claim ahead
    /// A small world: its tasks can run at once, end soon, and it stops when all have ended, though not before this.
    std::optional<Duration> stops_after = {};
    Duration starts_within = std::chrono::seconds(2);     ///< every process
    Duration restarts_within = std::chrono::seconds(30);  ///< whatever has died
    std::vector<core::WorkflowBundle> workflows = {};     ///< of the jobs; empty: drawn
};

inline constexpr int most_asked = 3;

[[nodiscard]] WorldPlan draw_plan(Dice dice);
/// Of workers in this world; without their identity.
[[nodiscard]] engine::WorkerSettings worker_settings(const WorldPlan& plan);
/// Within which everything has ended, once there are no faults any more.
[[nodiscard]] Duration settling_bound(const WorldPlan& plan);

}  // namespace holdfast::sim
