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
#include "views/task.h"

namespace holdfast::views {

/// What one look says about a worker.
struct SeenWorker {
    store::WorkerLiveness worker;
    core::Evidence evidence = core::Evidence::None;
    std::string how;
};

/// A line of history with the task that it is about.
struct RecoveryEvent : store::EventRecord {};

/// Who sweeps, what recovery did, which workers it doubts.
struct RecoveryStatus {
    std::string holder;  ///< of the sweep row; empty: nobody
    std::vector<store::SweepNote> notes;
    std::vector<SeenWorker> workers;
    std::vector<RecoveryEvent> events;  ///< the last recoveries, newest first
    Timestamp now;
};
/// One look has no time to observe: silence is by the store's clock, for people.
[[nodiscard]] RecoveryStatus read_recovery_status(store::Store& store, engine::HostWatch& host,
                                                  const std::string& who);

[[nodiscard]] std::string word_for(core::Evidence evidence);  ///< "alive", "silent", ...
template <>
struct Form<core::Evidence> {
    static Json write(core::Evidence evidence) { return word_for(evidence); }
    static void read(const Json& shape, core::Evidence& evidence);
    static Json schema() { return schema::ref("Evidence"); }
    static std::vector<std::string> words();
};
[[nodiscard]] std::map<std::string, int> count_by_evidence(const std::vector<SeenWorker>& workers);

/// How recovery behaves by this configuration.
[[nodiscard]] engine::SweepSettings sweep_settings(const config::Config& config);

/// By the given threshold, else each by that of the configuration for its state.
[[nodiscard]] std::vector<engine::StaleTask> find_stale(store::RecoveryStore& store,
                                                        const config::RecoveryConfig& recovery,
                                                        const std::optional<Duration>& threshold);
[[nodiscard]] std::string_view state_of(const engine::StaleTask& stale);  ///< "RUNNING", "CLAIMED"

struct PruneOrder {
    bool dry_run = false;
    bool clock_is_right = false;  ///< says the person who gives the order
};
/// Removes all that need not be kept, batch by batch, so that claims never wait for it. A dry run counts one batch.
[[nodiscard]] store::PruneAnswer prune(store::RecoveryStore& store, const config::RetentionConfig& retention,
                                       const PruneOrder& order);

/// Recovery as a server tells of it.
struct RecoveryView {
    RecoveryStatus status;
    std::vector<store::ReplicaRecord> replicas;
};

/// What was removed, or in a dry run would be.
struct PruneView {
    bool dry_run = false;
    store::PruneAnswer pruned = {};
};

Table<store::SweepNote> table(Of<store::SweepNote>);
Table<SeenWorker> table(Of<SeenWorker>);
Table<RecoveryEvent> table(Of<RecoveryEvent>);
Table<RecoveryStatus> table(Of<RecoveryStatus>);
Table<RecoveryView> table(Of<RecoveryView>);
Table<store::ReplicaRecord> table(Of<store::ReplicaRecord>);
Table<engine::StaleTask> table(Of<engine::StaleTask>);
Table<engine::ManualAnswer> table(Of<engine::ManualAnswer>);
Table<engine::ServicePass> table(Of<engine::ServicePass>);
Table<PruneView> table(Of<PruneView>);
[[nodiscard]] Json counts_shape(const engine::RecoveryReport& report);

}  // namespace holdfast::views
