#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "engine/ports.h"
#include "engine/recovery/manual_recovery.h"
#include "engine/recovery/sweeper.h"
#include "store/store.h"
#include "views/shapes.h"

namespace holdfast::views {

/// What one look says about a worker.
struct SeenWorker {
    store::WorkerLiveness worker;
    core::Evidence evidence = core::Evidence::None;
    std::string how;
};

/// Who sweeps, what recovery did, which workers it doubts.
struct RecoveryStatus {
    std::string holder;  ///< of the sweep row; empty: nobody
    std::vector<store::SweepNote> notes;
    std::vector<SeenWorker> workers;
    std::vector<store::EventRecord> events;  ///< the last recoveries, newest first
    Timestamp now;
};
/// One look has no time to observe: silence is by the store's clock, for people.
[[nodiscard]] RecoveryStatus read_recovery_status(store::Store& store, engine::HostWatch& host,
                                                  const std::string& who);

[[nodiscard]] std::string word_for(core::Evidence evidence);  ///< "alive", "silent", ...
[[nodiscard]] std::map<std::string, int> count_by_evidence(const std::vector<SeenWorker>& workers);

/// By the given threshold, else each by that of the configuration for its state.
[[nodiscard]] std::vector<engine::StaleTask> find_stale(store::Store& store, const config::RecoveryConfig& recovery,
                                                        const std::optional<Duration>& threshold);
[[nodiscard]] std::string_view state_of(const engine::StaleTask& stale);  ///< "RUNNING", "CLAIMED"

struct PruneOrder {
    bool dry_run = false;
    bool clock_is_right = false;  ///< says the person who gives the order
};
/// Removes all that need not be kept, batch by batch, so that claims never wait for it. A dry run counts one batch.
[[nodiscard]] store::PruneAnswer prune(store::Store& store, const config::RetentionConfig& retention,
                                       const PruneOrder& order);

[[nodiscard]] Json to_json_shape(const RecoveryStatus& status);
[[nodiscard]] Json to_json_shape(const engine::StaleTask& stale);
[[nodiscard]] Json to_json_shape(const engine::ManualAnswer& answer);
[[nodiscard]] Json to_json_shape(const engine::ServicePass& pass);
[[nodiscard]] Json to_json_shape(const store::PruneAnswer& pruned, bool dry_run);
[[nodiscard]] Json counts_shape(const engine::RecoveryReport& report);

}  // namespace holdfast::views
