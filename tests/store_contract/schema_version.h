#pragma once

#include "store_contract/test_database.h"

namespace holdfast::contract {

/// Writes another schema version into a migrated database.
void set_schema_version(const TestDatabase& database, int version);

/// Makes an empty database what the first migration alone left behind, with one RUNNING task whose worker is unknown
/// and one whose worker has a row.
struct OldTasks {
    Uuid ownerless;
    Uuid owned;
};
[[nodiscard]] OldTasks build_old_database(const TestDatabase& database, Timestamp now);

}  // namespace holdfast::contract
