#pragma once

#include "store/sqlite/database.h"

namespace holdfast::sqlite {

/// Runs the migrations after version `from` up to version `to`, and records `to`. The caller has begun a transaction.
void apply_migrations(Database& db, int from, int to);

/// The version that this program's migrations lead to.
[[nodiscard]] int newest_schema_version();
/// Returns the version of a database that messages call `name`; 0 when it is empty. Throws store::Unusable when it is
/// not one of holdfast, or newer than this program.
[[nodiscard]] int require_known_schema(Database& db, const std::string& name);

}  // namespace holdfast::sqlite
