#pragma once

#include <string>
#include <vector>

#include "server/api/ids.h"
#include "store/store.h"

namespace holdfast::cli {

using api::may_begin_an_id;

/// The task that a person means by a whole id or a unique prefix of one. Throws UnknownTask when there is none,
/// BadInput when it is no id, or when several tasks begin so (it then names them).
[[nodiscard]] store::TaskRecord resolve_task(store::Store& store, const std::string& id_or_prefix);

/// All of them before anything is done to any.
[[nodiscard]] std::vector<store::TaskRecord> resolve_tasks(store::Store& store, const std::vector<std::string>& ids);
[[nodiscard]] std::vector<Uuid> ids_of(const std::vector<store::TaskRecord>& records);

}  // namespace holdfast::cli
