#pragma once

#include <string>
#include <vector>

#include "server/api/ids.h"
#include "store/client_store.h"

namespace holdfast::cli {

using api::may_begin_an_id;

// The tasks, jobs, workers and schedules that a person means. Ids may be shortened to a unique beginning. Those that
// take several resolve all of them before the caller does anything to one. They throw BadInput for a text that is not
// an id, or that means several (which it then lists).

/// Throw UnknownTask when there is none.
[[nodiscard]] store::TaskRecord resolve_task(store::ClientStore& store, const std::string& id_or_prefix);
[[nodiscard]] std::vector<store::TaskRecord> resolve_tasks(store::ClientStore& store,
                                                           const std::vector<std::string>& ids);
[[nodiscard]] std::vector<Uuid> ids_of(const std::vector<store::TaskRecord>& records);

/// Throw UnknownJob when there is none.
[[nodiscard]] JobInfo resolve_job(store::ClientStore& store, const std::string& id_or_prefix);
[[nodiscard]] std::vector<Uuid> resolve_jobs(store::ClientStore& store, const std::vector<std::string>& ids);

/// Which of several workers with one name a person more likely means.
enum class Likely {
    Present,  ///< those that have not left
    Left,     ///< those that have
};
/// Also by their names. A name counts for the likely ones if there are any. Throws NotFound.
[[nodiscard]] std::vector<store::WorkerRecord> resolve_workers(store::ClientStore& store,
                                                               const std::vector<std::string>& names, Likely likely);

/// By its name. Throws NotFound, with the nearest name.
[[nodiscard]] store::ScheduleRecord find_schedule(store::ClientStore& store, const std::string& name);

}  // namespace holdfast::cli
