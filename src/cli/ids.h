#pragma once

#include <string>
#include <vector>

#include "cli/session.h"
#include "server/api/ids.h"

namespace holdfast::cli {

using api::may_begin_an_id;

// Resolves the tasks, jobs, workers and schedules that a person names. Ids may be shortened to a unique prefix.
// Functions that take several resolve all of them before the caller acts on the first. They throw BadInput for a text
// that is not an id, or for an ambiguous prefix (and list its matches).

/// Throw UnknownTask when the task does not exist.
[[nodiscard]] store::TaskRecord resolve_task(store::ClientStore& store, const std::string& id_or_prefix);
[[nodiscard]] std::vector<Uuid> resolve_tasks(store::ClientStore& store, const std::vector<std::string>& ids);

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

/// The result of an order to one task, job or worker.
struct Steered {
    std::string status;    ///< the status in --json
    std::string sentence;  ///< continues a sentence that begins with "task <id>" or "worker <id>"
    ExitCode code = ExitCode::Done;
};
inline const Steered had_ended{"finished", "had ended before; nothing was changed", ExitCode::Failed};
inline const Steered is_gone{"not_found", "is not there any more", ExitCode::Failed};

/// Prints one line for the result of each id, failures on the error stream, and returns the worst code.
ExitCode report_steered(const Session& session, std::string_view kind, const std::vector<Uuid>& ids,
                        const std::vector<Steered>& steered);

/// Reports the status that the store returned for each id, as `describe(status)`.
template <typename Status, typename Describe>
ExitCode report_each(const Session& session, std::string_view kind, const std::vector<Uuid>& ids,
                     const std::vector<Status>& statuses, Describe describe) {
    std::vector<Steered> steered;
    for (const Status status : statuses) steered.push_back(describe(status));
    return report_steered(session, kind, ids, steered);
}

}  // namespace holdfast::cli
