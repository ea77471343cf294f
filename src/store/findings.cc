#include "store/findings.h"

#include "base/text.h"

namespace holdfast::store {

Finding owners_finding(const LivenessView& view) {
    const std::string what = "owners of tasks";
    if (view.unregistered.empty()) return {Finding::Grade::Ok, what, "all known", ""};
    std::vector<std::string> ids;
    for (const Uuid& id : view.unregistered) ids.push_back(id.to_string());
    return {Finding::Grade::Warning, what, concat("tasks are held by workers without a row: ", join(ids, ", ")),
            "nothing, while a worker or server sweeps: it recovers them unless their worker registers again; "
            "`holdfast recovery stale` lists them"};
}

Finding clock_trust_finding(const core::ClockWitness& witness, Timestamp now) {
    const core::ClockTrust trust = core::trust_clock(witness, {.now = now});
    if (trust.is_trusted) return {Finding::Grade::Ok, "clock of retention", "trusted", ""};
    return {Finding::Grade::Warning, "clock of retention", core::describe_doubt(trust, now),
            "compare the store's clock with a right one"};
}

}  // namespace holdfast::store
