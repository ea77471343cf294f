#pragma once

#include "proof/chaos/findings.h"
#include "store/store.h"

namespace holdfast::chaos {

/// Has every task and every job in the store ended?
[[nodiscard]] bool is_settled(store::Store& store);

/// Reads all that the store has to say into the findings: tasks, jobs, verdicts, and which worker each life was. The
/// ledger must be there already: only of tasks with an unusual one the whole history is read.
void collect(store::Store& store, Findings& findings);

}  // namespace holdfast::chaos
