#pragma once

#include <optional>

#include "cli/session.h"
#include "cli/terminal/json_shapes.h"
#include "cli/terminal/signal_notes.h"

namespace holdfast::cli {

/// The result of following a job.
struct JobEnding {
    Uuid id = {};
    std::optional<JobInfo> job = {};  ///< nullopt: it has not ended yet
    bool interrupted = false;         ///< the person stopped watching; the job continues
};

/// Shows the progress of the job (see JobView) until it has ended, `timeout` has passed, or Ctrl-C was pressed. The
/// caller must create `signals` before it prints the job's id.
[[nodiscard]] JobEnding follow_job(const Session& session, const SignalNotes& signals, store::ClientStore& store,
                                   const Uuid& job, std::optional<Duration> timeout);

/// Prints the output of a COMPLETED job, or reports any other ending on the error stream with advice. Returns Done
/// only for COMPLETED.
ExitCode report_job_ending(const Io& io, const JobEnding& ending);

/// The members that --json adds after following a job: {"timed_out", "job"}.
[[nodiscard]] Json to_json_shape(const JobEnding& ending);
[[nodiscard]] ExitCode exit_code_of(const JobEnding& ending);

}  // namespace holdfast::cli
