#pragma once

#include <vector>

#include "store/store.h"

namespace holdfast::store {

/// A lease that the store holds for the worker that beats.
struct StoredLease {
    TaskLease lease;
    std::optional<StopReason> stop_requested;
    int unlisted_beats = 0;
};

/// How a beat's list of leases differs from the store's own list.
struct BeatComparison {
    std::vector<TaskLease> lost;
    std::vector<StopRequest> stop;
    std::vector<TaskLease> unlisted;
    std::vector<TaskLease> listed_again;  ///< had unlisted beats counted, and are back: reset the count
};

/// Pure; both lists in any order.
[[nodiscard]] BeatComparison compare_leases(const std::vector<HeldLease>& listed,
                                            const std::vector<StoredLease>& stored);

}  // namespace holdfast::store
