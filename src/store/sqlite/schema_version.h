#pragma once

#include "store/sqlite/database.h"

namespace holdfast::sqlite {

/// Runs the migrations after version `from` up to version `to`, and records `to`. The caller has begun a transaction.
void apply_migrations(Database& db, int from, int to);

}  // namespace holdfast::sqlite
