#pragma once

#include "proof/chaos/findings.h"
#include "store/store.h"

namespace holdfast::chaos {

/// Whether every task and every job in the store has ended.
[[nodiscard]] bool is_settled(store::ClientStore& store);

/// Reads tasks, jobs, verdicts and the worker of each life from the store into the findings, which must already have
/// the ledger: the whole history is read only for tasks with unusual lines.
void collect(store::ClientStore& store, Findings& findings);

}  // namespace holdfast::chaos
