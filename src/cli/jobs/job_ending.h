#pragma once

#include <optional>

#include "cli/session.h"
#include "cli/terminal/json_shapes.h"
#include "cli/terminal/signal_notes.h"

namespace holdfast::cli {

/// Where following a job has led.
struct JobEnding {
    Uuid id = {};
    std::optional<JobInfo> job = {};  ///< nullopt: it has not ended yet
    bool interrupted = false;         ///< the person stopped watching: the job goes on
};

/// Shows what happens to the job (see JobView) until it has ended, `timeout` has passed, or Ctrl-C was pressed:
/// `signals` must exist before the job's id is printed.
[[nodiscard]] JobEnding follow_job(const Session& session, const SignalNotes& signals, store::ClientStore& store,
                                   const Uuid& job, std::optional<Duration> timeout);

/// Prints the output of a COMPLETED job, or says on the error stream how else it ended, and what to do; Done only for
/// COMPLETED.
ExitCode report_job_ending(const Io& io, const JobEnding& ending);

/// {"timed_out", "job"}: what --json adds about following a job.
[[nodiscard]] Json to_json_shape(const JobEnding& ending);
[[nodiscard]] ExitCode exit_code_of(const JobEnding& ending);

}  // namespace holdfast::cli
