#pragma once

#include <vector>

#include "config/config.h"
#include "store/store.h"
#include "views/task.h"

namespace holdfast::views {

/// A worker, and whether its beats come as they should. For people: recovery judges by what it sees itself.
struct WorkerView {
    store::WorkerRecord record;
    bool fresh = false;
};

[[nodiscard]] bool has_left(const store::WorkerRecord& record);

/// Fresh: it has not left, and its last beat is not older than the silence that recovery would wait for.
[[nodiscard]] WorkerView view_of(const store::WorkerRecord& record, const config::RecoveryConfig& recovery);

/// All that is known about one worker, read at one time.
struct WorkerStory {
    WorkerView worker;
    std::vector<store::LeaseRecord> leases;
    std::vector<store::WorkerSnapshot> snapshots;  ///< the newest, if any
    std::vector<store::EventRecord> events;        ///< the last ones, oldest first
};
[[nodiscard]] WorkerStory read_story(store::ClientStore& store, const store::WorkerRecord& worker,
                                     const config::RecoveryConfig& recovery);

Table<WorkerView> table(Of<WorkerView>);
Table<store::LeaseRecord> table(Of<store::LeaseRecord>);
Table<store::WorkerSnapshot> table(Of<store::WorkerSnapshot>);
Table<WorkerStory> table(Of<WorkerStory>);

}  // namespace holdfast::views
