#pragma once

#include "base/text.h"
#include "core/task/clock_trust.h"
#include "store/store.h"

namespace holdfast::store {

// What both stores find at a check-up.

/// Ok when it is as it should be; else graded `otherwise`, with advice.
[[nodiscard]] inline Finding judged(bool is_good, Finding::Grade otherwise, std::string what, std::string found,
                                    std::string advice) {
    return {is_good ? Finding::Grade::Ok : otherwise, std::move(what), std::move(found),
            is_good ? "" : std::move(advice)};
}

/// Leases whose worker has no row.
[[nodiscard]] inline Finding owners_finding(const LivenessView& view) {
    const std::string what = "owners of tasks";
    if (view.unregistered.empty()) return {Finding::Grade::Ok, what, "all known", ""};
    std::vector<std::string> ids;
    for (const Uuid& id : view.unregistered) ids.push_back(id.to_string());
    return {Finding::Grade::Warning, what, concat("tasks are held by workers without a row: ", join(ids, ", ")),
            "nothing, while a worker or server sweeps: it recovers them unless their worker registers again; "
            "`holdfast recovery stale` lists them"};
}

/// May history be removed by the store's clock?
[[nodiscard]] inline Finding clock_trust_finding(const core::ClockWitness& witness, Timestamp now) {
    const core::ClockTrust trust = core::trust_clock(witness, {.now = now});
    if (trust.is_trusted) return {Finding::Grade::Ok, "clock of retention", "trusted", ""};
    return {Finding::Grade::Warning, "clock of retention", core::describe_doubt(trust, now),
            "compare the store's clock with a right one"};
}

}  // namespace holdfast::store
