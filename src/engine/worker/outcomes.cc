#include "engine/worker/outcomes.h"

#include "base/assert.h"
#include "base/text.h"

namespace holdfast::engine {

namespace {

store::FinishedRun failed(const Run& run, core::LeaseEnd end, std::string_view code, std::string message) {
    return {.lease = run.lease(), .end = end, .result = "", .error = {std::string(code), std::move(message), ""}};
}

/// Whether the grace was over, or was cut short.
std::string why_drained(const Run& run, const WorkerSettings& settings) {
    if (run.stop && !run.stop->hurried_by.empty())
        return concat("stopped: its worker was asked a second time to shut down (", run.stop->hurried_by,
                      ") and did not wait for the task to end");
    return concat("stopped: its worker was shut down and the task did not end within ",
                  format_duration(settings.shutdown_grace));
}

/// Whether the end of the run counts as the work of its stop.
bool is_stopped(const Run& run, const RunEnded& end) {
    if (!run.stop) return false;
    const bool is_lost = run.stop->cause == StopCause::LeaseLost;
    return !is_lost && (run.stop->out_of_time || end.saw_stop || end.threw_stop);
}

/// How the run reacted to the stop, for the error message.
void add_reaction(TaskError& error, const RunEnded& end) {
    if (end.threw_stop) {
        error.message += "; it stopped cleanly";
    } else if (end.completed) {
        error.message += "; the value that it returned is kept as data";
        error.data = concat("{\"returned\":", end.result, "}");
    } else if (!end.error.code.empty()) {
        error.message += concat("; it then failed with ", end.error.code, ": ", end.error.message);
        error.data = end.error.data;
    }
}

store::FinishedRun outcome_of_stopped_run(const Run& run, const RunEnded& end, const WorkerSettings& settings) {
    const StopCause cause = run.stop->cause;
    store::FinishedRun outcome = outcome_of_stop(run, cause, settings);
    if (end.threw_stop && cause == StopCause::Drain) outcome.end = core::LeaseEnd::StoppedCleanly;
    const bool failed = !end.completed && !end.threw_stop && !end.error.code.empty();
    if (cause == StopCause::Cancel && failed) {
        outcome.error = end.error;  // named in the task's error as the end of its last run
    } else {
        add_reaction(outcome.error, end);
    }
    return outcome;
}

}  // namespace

store::FinishedRun outcome_of_stop(const Run& run, StopCause cause, const WorkerSettings& settings) {
    switch (cause) {
        case StopCause::Drain:
            return failed(run, core::LeaseEnd::Stopped, error_code::worker_drained, why_drained(run, settings));
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
            break;  // is not reported
    }
    HOLDFAST_ASSERT(false);
}

store::FinishedRun outcome_of_end(const Run& run, const RunEnded& end, const WorkerSettings& settings) {
    if (is_stopped(run, end)) return outcome_of_stopped_run(run, end, settings);
    if (end.completed)
        return {.lease = run.lease(), .end = core::LeaseEnd::Completed, .result = end.result, .error = {}};
    return {.lease = run.lease(), .end = core::LeaseEnd::Failed, .result = "", .error = end.error};
}

store::FinishedRun outcome_of_death(const Run& run, const RunnerGone& gone, const WorkerSettings& settings) {
    if (run.stop) return outcome_of_stop(run, run.stop->cause, settings);
    if (gone.fate == RunFate::Unbegun) return outcome_of_unbegun(run.lease());
    if (gone.fenced) return outcome_of_stop(run, StopCause::Fence, settings);
    if (gone.fate == RunFate::Bystander)
        return failed(run, core::LeaseEnd::Stopped, error_code::worker_crashed,
                      concat("the runner program that it shared with other runs ended: ", gone.how));
    return failed(run, core::LeaseEnd::Crashed, error_code::worker_crashed, concat("its runner ended: ", gone.how));
}

store::FinishedRun outcome_of_orphan(const store::TaskLease& lease) {
    return {.lease = lease,
            .end = core::LeaseEnd::Stopped,
            .result = "",
            .error = {std::string(error_code::worker_crashed), "its worker knows of no such run", ""}};
}

store::FinishedRun outcome_of_unbegun(const store::TaskLease& lease) {
    return {.lease = lease, .end = core::LeaseEnd::NotStarted, .result = "", .error = {}};
}

}  // namespace holdfast::engine
