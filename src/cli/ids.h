#pragma once

#include <string>
#include <vector>

#include "server/api/ids.h"
#include "store/client_store.h"

namespace holdfast::cli {

using api::may_begin_an_id;

// Resolves the tasks, jobs, workers and schedules that a person names. Ids may be shortened to a unique prefix.
// Functions that take several resolve all of them before the caller acts on the first. They throw BadInput for a text
// that is not an id, or for an ambiguous prefix (and list its matches).

/// Throw UnknownTask when the task does not exist.
[[nodiscard]] store::TaskRecord resolve_task(store::ClientStore& store, const std::string& id_or_prefix);
[[nodiscard]] std::vector<store::TaskRecord> resolve_tasks(store::ClientStore& store,
                                                           const std::vector<std::string>& ids);
[[nodiscard]] std::vector<Uuid> ids_of(const std::vector<store::TaskRecord>& records);

/// Throw UnknownJob when the job does not exist.
[[nodiscard]] JobInfo resolve_job(store::ClientStore& store, const std::string& id_or_prefix);
[[nodiscard]] std::vector<Uuid> resolve_jobs(store::ClientStore& store, const std::vector<std::string>& ids);

/// The group that is preferred when several workers share a name.
enum class Likely {
    Present,  ///< workers that have not left
    Left,     ///< workers that have left
};
/// Accepts ids and names. A name refers to the preferred workers if there are any, else to all of that name. Throws
/// NotFound.
[[nodiscard]] std::vector<store::WorkerRecord> resolve_workers(store::ClientStore& store,
                                                               const std::vector<std::string>& names, Likely likely);

/// Finds a schedule by its name. Throws NotFound, which suggests the nearest name.
[[nodiscard]] store::ScheduleRecord find_schedule(store::ClientStore& store, const std::string& name);

}  // namespace holdfast::cli
