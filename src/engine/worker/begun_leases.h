#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>

#include "store/task_records.h"

namespace holdfast::engine {

/// The leases that this worker has begun to run. Of every other lease it is certain that nothing of it has run. The
/// lowest numbers are forgotten first, and from then on each lease below them may have run.
class BegunLeases {
public:
    static constexpr std::size_t most = 100'000;

    void add(store::Lease lease) {
        const bool is_next = leases_.empty() || leases_.back() < lease;
        const auto place = is_next ? leases_.end() : std::lower_bound(leases_.begin(), leases_.end(), lease);
        if (is_next || *place != lease) leases_.insert(place, lease);
        if (leases_.size() <= most) return;
        forgotten_ = std::max(forgotten_, leases_.front());
        leases_.pop_front();
    }
    [[nodiscard]] bool has_begun(store::Lease lease) const {
        return std::binary_search(leases_.begin(), leases_.end(), lease);
    }
    [[nodiscard]] bool may_have_run(store::Lease lease) const { return lease <= forgotten_ || has_begun(lease); }

private:
    std::deque<store::Lease> leases_;  // in order
    store::Lease forgotten_ = 0;       // the highest number that was forgotten
};

}  // namespace holdfast::engine
