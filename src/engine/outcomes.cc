#include "engine/outcomes.h"

#include "base/assert.h"
#include "base/text.h"

namespace holdfast::engine {

namespace {

store::FinishedRun failed(const Run& run, core::LeaseEnd end, std::string_view code, std::string message) {
    return {.lease = run.lease(), .end = end, .result = "", .error = {std::string(code), std::move(message), ""}};
}

}  // namespace

store::FinishedRun outcome_of_stop(const Run& run, StopCause cause, const WorkerSettings& settings) {
    switch (cause) {
        case StopCause::Drain:
            return failed(run, core::LeaseEnd::Stopped, error_code::worker_drained,
                          concat("stopped: its worker was shut down and the task did not end within ",
                                 format_duration(settings.shutdown_grace)));
        case StopCause::Timeout:
            return failed(run, core::LeaseEnd::Failed, error_code::task_timeout,
                          concat("stopped: it did not end within its timeout of ", format_duration(run.timeout)));
        case StopCause::Cancel:
            return failed(run, core::LeaseEnd::Cancelled, error_code::task_cancelled, "stopped: cancelled");
        case StopCause::Fence:
            return failed(run, core::LeaseEnd::Stopped, error_code::fenced,
                          "stopped: its worker could not reach the store for so long that the task might be given to "
                          "another");
        case StopCause::LeaseLost:
            break;  // nobody is told
    }
    HOLDFAST_ASSERT(false);
}

store::FinishedRun outcome_of_end(const Run& run, const RunEnded& end, const WorkerSettings& settings) {
    const bool out_of_time = run.stop && run.stop->cause == StopCause::Timeout;
    if (end.completed && !out_of_time)
        return {.lease = run.lease(), .end = core::LeaseEnd::Completed, .result = end.result, .error = {}};
    if (run.stop) return outcome_of_stop(run, run.stop->cause, settings);
    return {.lease = run.lease(), .end = core::LeaseEnd::Failed, .result = "", .error = end.error};
}

store::FinishedRun outcome_of_death(const Run& run, const RunnerGone& gone, const WorkerSettings& settings) {
    if (run.stop) return outcome_of_stop(run, run.stop->cause, settings);
    if (gone.fenced) return outcome_of_stop(run, StopCause::Fence, settings);
    return failed(run, core::LeaseEnd::Crashed, error_code::worker_crashed, concat("its runner ended: ", gone.how));
}

store::FinishedRun outcome_of_orphan(const store::TaskLease& lease) {
    return {.lease = lease,
            .end = core::LeaseEnd::Stopped,
            .result = "",
            .error = {std::string(error_code::worker_crashed), "its worker knows of no such run", ""}};
}

}  // namespace holdfast::engine
