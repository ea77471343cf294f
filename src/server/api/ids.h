#pragma once

#include <string>

#include "store/store.h"

namespace holdfast::api {

// Each function returns the record that a client names by its full id or by a unique prefix of it. Each throws
// NOT_FOUND, or CONFLICT, which lists candidates, when several records match.

[[nodiscard]] store::TaskRecord find_task(store::ClientStore& store, const std::string& id_or_prefix);
[[nodiscard]] JobInfo find_job(store::ClientStore& store, const std::string& id_or_prefix);
/// Also finds a worker by its name. Workers of that name that have not left take precedence.
[[nodiscard]] store::WorkerRecord find_worker(store::ClientStore& store, const std::string& id_or_name);

/// Returns at most `limit` jobs whose ids begin so.
[[nodiscard]] std::vector<JobInfo> jobs_that_begin(store::ClientStore& store, const std::string& prefix,
                                                   std::size_t limit);

/// Whether the text could be an id or a prefix of one.
[[nodiscard]] bool may_begin_an_id(const std::string& text);

}  // namespace holdfast::api
