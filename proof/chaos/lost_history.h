#pragma once

#include <vector>

#include "proof/chaos/findings.h"

namespace holdfast::chaos {

/// The stretches of a run whose commits were lost with a failover: after an asynchronous cut, or by a restored
/// backup. Pure.
class LostHistory {
public:
    explicit LostHistory(const std::vector<Failover>& failovers);

    /// Whether the store may have lost a commit of which a process speaks at this time.
    [[nodiscard]] bool may_lack(Timestamp spoken_at) const { return stretch_of(spoken_at, reach) != nullptr; }
    /// The failover with which a commit of exactly this time may have been lost; nullptr: none.
    [[nodiscard]] const Failover* failover_of(Timestamp at) const { return stretch_of(at, {}); }

    /// A process may be stopped for so long between a commit and what it does then.
    static constexpr Duration reach = std::chrono::seconds(15);

private:
    [[nodiscard]] const Failover* stretch_of(Timestamp at, Duration longer) const;

    std::vector<Failover> lossy_;
};

}  // namespace holdfast::chaos
