#pragma once

#include <algorithm>
#include <map>
#include <set>

#include "store/store.h"

namespace holdfast::engine {

/// For how long one observer has seen runs that have a timeout, on its own clock: the store's times count sleep, and
/// jump.
class RunTimes {
public:
    /// Has the run gone on for longer than its timeout and `margin`, as far as the unbroken view reaches (P6)? Never
    /// of one that is asked to be cancelled: that decides what becomes of it. To be asked whenever the run is seen:
    /// the first time starts the count.
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
