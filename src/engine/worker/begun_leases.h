#pragma once

#include <algorithm>
#include <cstddef>
#include <set>

#include "store/task_records.h"

namespace holdfast::engine {

/// The leases that this worker has begun to run. Of every other lease it is certain that nothing of it has run. The
/// lowest numbers are forgotten first, and from then on each lease below them may have run.
class BegunLeases {
public:
    static constexpr std::size_t most = 100'000;

    void add(store::Lease lease) {
        leases_.insert(leases_.end(), lease);
        if (leases_.size() <= most) return;
        forgotten_ = std::max(forgotten_, *leases_.begin());
        leases_.erase(leases_.begin());
    }
    [[nodiscard]] bool has_begun(store::Lease lease) const { return leases_.contains(lease); }
    [[nodiscard]] bool may_have_run(store::Lease lease) const {
        return lease <= forgotten_ || leases_.contains(lease);
    }

private:
    std::set<store::Lease> leases_;
    store::Lease forgotten_ = 0;  // the highest number that was forgotten
};

}  // namespace holdfast::engine
