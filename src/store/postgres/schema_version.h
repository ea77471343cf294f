#pragma once

#include "store/postgres/lane.h"

namespace holdfast::postgres {

/// The version that this program's migrations lead to.
[[nodiscard]] int newest_schema_version();
/// 0 when there is no schema.
[[nodiscard]] int read_schema_version(Transaction& tx);
/// Throws store::Unusable when the database is newer than this program.
void check_not_newer(int version);

}  // namespace holdfast::postgres
