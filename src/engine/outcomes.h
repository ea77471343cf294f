#pragma once

#include "engine/run_book.h"
#include "engine/worker_settings.h"

namespace holdfast::engine {

// What the end of a run is reported as. A run that returned a value has completed, whatever it was asked meanwhile,
// unless it was out of time; anything else that follows a stop is the work of that stop.

[[nodiscard]] store::FinishedRun outcome_of_end(const Run& run, const RunEnded& end, const WorkerSettings& settings);
[[nodiscard]] store::FinishedRun outcome_of_death(const Run& run, const RunnerGone& gone,
                                                  const WorkerSettings& settings);
/// Its start was committed, but it was stopped before any code of it ran.
[[nodiscard]] store::FinishedRun outcome_of_stop(const Run& run, StopCause cause, const WorkerSettings& settings);
/// A run that the store says is this worker's, and that this worker does not know.
[[nodiscard]] store::FinishedRun outcome_of_orphan(const store::TaskLease& lease);

}  // namespace holdfast::engine
