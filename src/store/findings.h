#pragma once

#include "core/task/clock_trust.h"
#include "store/store.h"

namespace holdfast::store {

// What both stores find at a check-up.

/// Leases whose worker has no row.
[[nodiscard]] Finding owners_finding(const LivenessView& view);
/// May history be removed by the store's clock?
[[nodiscard]] Finding clock_trust_finding(const core::ClockWitness& witness, Timestamp now);

}  // namespace holdfast::store
