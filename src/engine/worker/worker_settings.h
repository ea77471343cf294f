#pragma once

#include <chrono>

#include "store/worker_records.h"

namespace holdfast::engine {

/// On which connection a worker claims.
enum class ClaimsGo {
    InTurns,          ///< in the next turn; there is no other connection
    InTurnsOrBeside,  ///< in the next turn; on the other one when that is put off or has failed
    Beside,           ///< always on a connection of their own, beside the turns
};

/// How a worker behaves. The values must be validated.
struct WorkerSettings {
    store::WorkerRegistration registration = {};
    Duration task_timeout = std::chrono::seconds(300);       ///< of tasks without one of their own
    Duration claimer_history = std::chrono::seconds(30);     ///< how often a beat is also kept as history while it
    Duration runner_history = std::chrono::seconds(30);      ///< holds CLAIMED tasks, and while it runs tasks
    Duration snapshot_interval = std::chrono::seconds(30);   ///< of its own load
    Duration runner_silence = std::chrono::seconds(300);     ///< a runner without a sign of life for longer is killed
    Duration runner_boot = std::chrono::seconds(10);         ///< a runner that is not ready by then is killed
    Duration hold_at_most = std::chrono::milliseconds(500);  ///< a CLAIMED task not started by then is handed back
    Duration stop_grace = std::chrono::seconds(5);           ///< between asking a run to stop and killing it
    Duration shutdown_grace = std::chrono::seconds(30);      ///< how long runs may go on while the worker drains
    bool says_debug = false;                                 ///< also logs the normal course of events
    ClaimsGo claims_go = ClaimsGo::InTurns;
    bool proves_session = true;   ///< beats prove that their connection holds the worker's session lock
    bool runners_can_die = true;  ///< processes; false: threads, which do not beat and cannot be killed

    [[nodiscard]] std::size_t capacity() const { return static_cast<std::size_t>(registration.capacity); }
};

}  // namespace holdfast::engine
