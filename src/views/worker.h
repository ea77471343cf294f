#pragma once

#include <vector>

#include "config/config.h"
#include "store/store.h"
#include "views/task.h"

namespace holdfast::views {

/// A worker and whether its heartbeats arrive on time. For display only: recovery relies on its own observations.
struct WorkerView {
    store::WorkerRecord record;
    bool fresh = false;
};

[[nodiscard]] TaskState state_of(const store::LeaseRecord& lease);
[[nodiscard]] bool has_left(const store::WorkerRecord& record);

/// Creates the view of a worker. It is fresh when it has not left and its last heartbeat is within the silence that
/// recovery tolerates.
[[nodiscard]] WorkerView view_of(const store::WorkerRecord& record, const config::RecoveryConfig& recovery);

/// A worker with its history, read at one time.
struct WorkerStory {
    WorkerView worker;
    std::vector<store::LeaseRecord> leases;
    std::vector<store::WorkerSnapshot> snapshots;  ///< the newest one, if any
    std::vector<store::EventRecord> events;        ///< the last ones, oldest first
};
[[nodiscard]] WorkerStory read_story(store::ClientStore& store, const store::WorkerRecord& worker,
                                     const config::RecoveryConfig& recovery);

Table<WorkerView> table(Of<WorkerView>);
Table<store::LeaseRecord> table(Of<store::LeaseRecord>);
Table<store::WorkerSnapshot> table(Of<store::WorkerSnapshot>);
Table<WorkerStory> table(Of<WorkerStory>);

}  // namespace holdfast::views
