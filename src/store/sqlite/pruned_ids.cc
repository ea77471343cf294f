#include "store/sqlite/pruned_ids.h"

namespace holdfast::sqlite {

core::ClockWitness clock_witness(Database& db) {
    auto row = db.query("SELECT clock_trusted_at, clock_watched_us FROM pruned WHERE id = 1");
    row.step();
    return {row.optional_time(0), Duration(row.integer(1))};
}

bool is_pruned_up_to(Database& db, const Uuid& id) {
    return db.query("SELECT 1 FROM pruned WHERE highest >= ?", id).step();
}

}  // namespace holdfast::sqlite
