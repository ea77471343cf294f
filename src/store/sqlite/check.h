#pragma once

#include "store/check_rules.h"
#include "store/sqlite/database.h"

namespace holdfast::sqlite {

/// Checks the pages of a database: every page, and whether its indexes match its tables.
void check_pages(Database& db, store::CheckReport& report);
/// Checks everything: pages, tasks, leases, jobs. The schema is that of this program. Reads one snapshot.
[[nodiscard]] store::CheckReport check_database(Database& db);

}  // namespace holdfast::sqlite
