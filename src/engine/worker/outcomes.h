#pragma once

#include "engine/worker/run_book.h"
#include "engine/worker/worker_settings.h"

namespace holdfast::engine {

// How the end of a run is reported to the store.

/// How a run that ended by itself, or because it was asked to, is settled:
///
/// | the run ...                         | no stop   | timeout | drain           | cancel    | fence     |
/// |-------------------------------------|-----------|---------|-----------------|-----------|-----------|
/// | returned, had not seen the stop     | Completed | Failed  | Completed       | Completed | Completed |
/// | returned after it had seen the stop |           | Failed  | Stopped         | Cancelled | Stopped   |
/// | threw Stopped                       | Failed    | Failed  | StoppedCleanly  | Cancelled | Stopped   |
/// | failed, had not seen the stop       | Failed    | Failed  | Failed          | Failed    | Failed    |
/// | failed after it had seen the stop   |           | Failed  | Stopped         | Cancelled | Stopped   |
///
/// A run that was out of time before it was cancelled or fenced counts as stopped by that cause, whether it has seen
/// the stop or not. A run that is Failed without a stop, or before it had seen the stop, keeps its own error. A value
/// that a stopped run returned is kept as {"returned": value} in the data of the error. After a lost lease a value is
/// Completed: the store refuses it and records that. Callers do not ask about other ends after a lost lease.
[[nodiscard]] store::FinishedRun outcome_of_end(const Run& run, const RunEnded& end, const WorkerSettings& settings);
/// For a run whose runner died; counts as the work of the stop, if there was one. A bystander costs no budget.
[[nodiscard]] store::FinishedRun outcome_of_death(const Run& run, const RunnerGone& gone,
                                                  const WorkerSettings& settings);
/// For a run that was stopped after its start was committed and before any of its code ran.
[[nodiscard]] store::FinishedRun outcome_of_stop(const Run& run, StopCause cause, const WorkerSettings& settings);
/// For a run of this worker in the store that this worker does not know.
[[nodiscard]] store::FinishedRun outcome_of_orphan(const store::TaskLease& lease);
/// For a lease that counts as started in the store and that this worker has certainly not begun to run.
[[nodiscard]] store::FinishedRun outcome_of_unbegun(const store::TaskLease& lease);

}  // namespace holdfast::engine
