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

/// The result of one look at a worker.
struct SeenWorker {
    store::WorkerLiveness worker;
    core::Evidence evidence = core::Evidence::None;
    std::string how;
};

/// An event together with its task.
struct RecoveryEvent : store::EventRecord {};

/// The status of recovery: the holder of the sweep row, the latest actions, and the state of the workers.
struct RecoveryStatus {
    std::string holder;  ///< of the sweep row; empty: it is not held
    std::vector<store::SweepNote> notes;
    std::vector<SeenWorker> workers;
    std::vector<RecoveryEvent> events;  ///< the last recoveries, newest first
    Timestamp now;
};
/// Reads the status. A single look cannot observe a worker over time, so silence is judged by the store's clock, for
/// display only.
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
[[nodiscard]] std::map<std::string, int> count_by_evidence(const RecoveryStatus& status);

/// The recovery settings of this configuration.
[[nodiscard]] engine::SweepSettings sweep_settings(const config::Config& config);

/// Returns the stale tasks, by the given threshold, or else by the configured threshold for each state.
[[nodiscard]] std::vector<engine::StaleTask> find_stale(store::RecoveryStore& store,
                                                        const config::RecoveryConfig& recovery,
                                                        const std::optional<Duration>& threshold);

struct PruneOrder {
    bool dry_run = false;
    bool clock_is_right = false;  ///< as asserted by the person who gives the order
};
/// Removes all records whose retention has ended, in batches, so that claims never wait for it. A dry run counts one
/// batch.
[[nodiscard]] store::PruneAnswer prune(store::RecoveryStore& store, const config::RetentionConfig& retention,
                                       const PruneOrder& order);

/// The recovery status as the server reports it.
struct RecoveryView {
    RecoveryStatus status;
    std::vector<store::ReplicaRecord> replicas;
};

/// The number of removed records; in a dry run, of those that would be removed.
struct PruneView {
    bool dry_run = false;
    store::PruneAnswer pruned = {};
};

// What the audit says about orders to recovery.
inline constexpr const char* swept_message = "had every recovery service do one pass";
[[nodiscard]] std::string pruned_message(const store::PruneAnswer& pruned);

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
