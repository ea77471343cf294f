#include "proof/chaos/lost_history.h"

#include <algorithm>

namespace holdfast::chaos {

LostHistory::LostHistory(const std::vector<Failover>& failovers) {
    std::ranges::copy_if(failovers, std::back_inserter(lossy_),
                         [](const Failover& each) { return each.lost_since.has_value(); });
}

const Failover* LostHistory::stretch_of(Timestamp at, Duration longer) const {
    const auto found = std::ranges::find_if(
        lossy_, [&](const Failover& each) { return *each.lost_since <= at && at <= each.promoted_at + longer; });
    return found == lossy_.end() ? nullptr : &*found;
}

}  // namespace holdfast::chaos
