#pragma once

#include <string>
#include <vector>

#include "store/store.h"

namespace holdfast::cli {

/// May this process use an SQLite store's file and the folder around it (in which the files beside it are made)?
/// Looks at paths only, and opens nothing. Empty for PostgreSQL.
[[nodiscard]] std::vector<store::Finding> permission_findings(const std::string& store_url);

}  // namespace holdfast::cli
