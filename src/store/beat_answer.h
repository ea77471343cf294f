#pragma once

#include <tuple>
#include <vector>

#include "store/store.h"

namespace holdfast::store {

/// A lease that the store holds for the worker that beats.
struct StoredLease {
    TaskLease lease;
    std::optional<StopReason> stop_requested;
    int unlisted_beats = 0;
};
/// task_id, lease, stop_requested (NULL for a pause: there is no run to be stopped), unlisted_beats.
inline auto columns_of(StoredLease& lease) {
    return std::tie(lease.lease, lease.stop_requested, lease.unlisted_beats);
}

/// The answer to a beat, as far as it follows from how the beat's list of leases differs from the store's own list.
struct BeatComparison : BeatAnswer {
    std::vector<TaskLease> listed_again;  ///< had unlisted beats counted, and are back: reset the count
};

/// Pure; both lists in any order.
[[nodiscard]] BeatComparison compare_leases(const std::vector<HeldLease>& listed,
                                            const std::vector<StoredLease>& stored);

}  // namespace holdfast::store
