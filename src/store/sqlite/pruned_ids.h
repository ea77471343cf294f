#pragma once

#include "core/task/clock_trust.h"
#include "store/sqlite/database.h"

namespace holdfast::sqlite {

/// Was a task or job removed whose id is `id` or higher? Then `id` itself may have been, when it is not there.
[[nodiscard]] inline bool is_pruned_up_to(Database& db, const Uuid& id) {
    return db.finds("SELECT 1 FROM pruned WHERE highest >= ?", id);
}

/// What is known about the clock by which ages are measured.
[[nodiscard]] inline core::ClockWitness clock_witness(Database& db) {
    auto row = db.query("SELECT clock_trusted_at, clock_watched_us FROM pruned WHERE id = 1");
    row.step();
    return {row.optional_time(0), Duration(row.integer(1))};
}

}  // namespace holdfast::sqlite
