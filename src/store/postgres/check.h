#pragma once

#include "store/check_rules.h"
#include "store/postgres/connection.h"

namespace holdfast::postgres {

/// Checks everything, inside the transaction that the connection is in, which reads one snapshot: pages, tasks,
/// leases, jobs. The schema is that of this program. Throws Refusal or ConnectionLost.
[[nodiscard]] store::CheckReport check_database(Connection& connection);
/// Reads every table whole.
void check_pages(Connection& connection, store::CheckReport& report);

}  // namespace holdfast::postgres
