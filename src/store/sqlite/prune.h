#pragma once

#include "store/sqlite/database.h"

namespace holdfast::sqlite {

/// Was a task or job removed whose id is `id` or higher? Then `id` itself may have been, when it is not there.
[[nodiscard]] bool is_pruned_up_to(Database& db, const Uuid& id);

}  // namespace holdfast::sqlite
