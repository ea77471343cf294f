#pragma once

#include <string>
#include <vector>

#include "base/random.h"
#include "store/recovery_store.h"

namespace holdfast::engine {

// Recovery by hand, decided by a person. Ages are by the store's clock, because one command cannot observe for long.

/// A lease without a recent sign of life.
struct StaleTask {
    store::LeaseRecord lease;
    std::string worker_name;  ///< empty: the store has no row for the worker
    std::string hostname;
    Duration quiet_for{};          ///< since the last sign: of its runner (RUNNING) or its worker (CLAIMED)
    bool worker_is_alive = false;  ///< its beats are fresh
    /// Its run may go on: its worker beats, or the task could run elsewhere before its worker has surely fenced
    /// itself (P7).
    bool may_still_run = false;
};

/// Leases without a sign of life for longer than `threshold`, by task id.
[[nodiscard]] std::vector<StaleTask> find_stale(store::RecoveryStore& store, Duration threshold);

struct ManualParams {
    Duration threshold{};
    std::string who;
};
struct ManualAnswer {
    std::size_t settled = 0;
    std::size_t asked = 0;  ///< their runs may go on: the worker was asked to stop them, and will confirm
};
/// Ends stale RUNNING tasks as crashed, by their policies. A task in a container that may still run is FAILED and not
/// run again.
ManualAnswer fail_stale_running(store::RecoveryStore& store, Random& random, const ManualParams& params);
/// Sends stale CLAIMED tasks back to PENDING.
ManualAnswer requeue_stale_claimed(store::RecoveryStore& store, Random& random, const ManualParams& params);

}  // namespace holdfast::engine
