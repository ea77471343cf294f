#include "store/beat_answer.h"

#include <set>

namespace holdfast::store {

BeatComparison compare_leases(const std::vector<HeldLease>& listed, const std::vector<StoredLease>& stored) {
    // By (task, lease): a worker that still stops its old run of a task may hold a newer lease on it.
    std::set<TaskLease> in_beat, in_store;
    for (const auto& lease : listed) in_beat.insert(lease.lease);
    for (const auto& lease : stored) in_store.insert(lease.lease);

    BeatComparison comparison;
    for (const auto& lease : listed)
        if (!in_store.contains(lease.lease)) comparison.lost.push_back(lease.lease);
    for (const auto& lease : stored) {
        const bool is_listed = in_beat.contains(lease.lease);
        if (!is_listed) comparison.unlisted.push_back(lease.lease);
        if (is_listed && lease.unlisted_beats > 0) comparison.listed_again.push_back(lease.lease);
        if (lease.stop_requested) comparison.stop.push_back({lease.lease, *lease.stop_requested});
    }
    return comparison;
}

}  // namespace holdfast::store
