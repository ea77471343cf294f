#pragma once

#include <string>

#include "store/store.h"

namespace holdfast::api {

// What a client means by an id in a path: the whole of it, or a beginning that only one has. Each throws NOT_FOUND,
// or CONFLICT when several begin so (it then names them).

[[nodiscard]] store::TaskRecord find_task(store::ClientStore& store, const std::string& id_or_prefix);
[[nodiscard]] JobInfo find_job(store::ClientStore& store, const std::string& id_or_prefix);
/// Also by its name, which counts for those that have not left if there are any.
[[nodiscard]] store::WorkerRecord find_worker(store::ClientStore& store, const std::string& id_or_name);

/// Whether the text could be an id or the beginning of one.
[[nodiscard]] bool may_begin_an_id(const std::string& text);

}  // namespace holdfast::api
