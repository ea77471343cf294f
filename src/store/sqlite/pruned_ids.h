#pragma once

#include "core/task/clock_trust.h"
#include "store/sqlite/database.h"

namespace holdfast::sqlite {

/// Was a task or job removed whose id is `id` or higher? Then `id` itself may have been, when it is not there.
[[nodiscard]] bool is_pruned_up_to(Database& db, const Uuid& id);

/// What is known about the clock by which ages are measured.
[[nodiscard]] core::ClockWitness clock_witness(Database& db);

}  // namespace holdfast::sqlite
