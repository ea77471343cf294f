#pragma once

#include <string>
#include <vector>

#include "store/store.h"

namespace holdfast::cli {

/// The job that a person means by a whole id or a unique prefix of one. Throws UnknownJob when there is none,
/// BadInput when it is no id, or when several jobs begin so (it then names them).
[[nodiscard]] JobInfo resolve_job(store::Store& store, const std::string& id_or_prefix);

/// All of them before anything is done to any.
[[nodiscard]] std::vector<Uuid> resolve_jobs(store::Store& store, const std::vector<std::string>& ids);

}  // namespace holdfast::cli
