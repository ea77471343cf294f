#pragma once

#include <vector>

#include "store/postgres/batches.h"
#include "store/postgres/lane.h"

namespace holdfast::postgres {

/// Submits those of the tasks that the batch names, all acceptable, none twice: see holdfast.submit_batch(). The
/// other members stand in the order of `tasks`; without `too_old` the ids are made in this very transaction.
[[nodiscard]] Command submit_command(const std::vector<store::NewTask>& tasks, const Batch& batch,
                                     const std::vector<int>& routes, const std::vector<bool>* too_old);
/// Reads the answer: `outcomes` of those that were not accepted.
void read_outcomes(const Rows& rows, const std::vector<store::NewTask>& tasks, const Batch& batch,
                   std::vector<store::SubmitOutcome>& outcomes);

}  // namespace holdfast::postgres
