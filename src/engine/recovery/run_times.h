#pragma once

#include <algorithm>
#include <map>
#include <set>

#include "store/store.h"

namespace holdfast::engine {

/// How long one observer has seen runs with a timeout, on its own clock: the store's times include sleep, and jump.
class RunTimes {
public:
    /// Whether the run has lasted longer than its timeout and `margin`, as far as the unbroken view reaches (P6).
    /// False for a run whose cancel was requested: the cancel decides. To be called whenever the run is seen; the
    /// first call starts the count.
    bool is_out_of_time(const store::LeaseRecord& lease, Duration margin, Duration unbroken_view, Duration now) {
        if (!lease.started || !lease.policy.timeout) return false;
        const auto [since, is_new] = since_.try_emplace(lease.lease.lease, now);
        const Duration seen_for = std::min(now - since->second, unbroken_view);
        return !lease.cancel_requested && seen_for > *lease.policy.timeout + margin;
    }
    void forget_all_but(const std::set<store::Lease>& leases) {
        std::erase_if(since_, [&](const auto& each) { return !leases.contains(each.first); });
    }

private:
    std::map<store::Lease, Duration> since_;
};

}  // namespace holdfast::engine
