#pragma once

#include <optional>

#include "cli/session.h"
#include "cli/terminal/following.h"

namespace holdfast::cli {

/// Shows the progress of the job until it has ended, `timeout` has passed, or Ctrl-C was pressed, and reports the
/// end. Prints the output of a COMPLETED job, or any other ending on the error stream, with advice; with --json,
/// `answer` and the members {"timed_out", "job"}. Returns Done only for COMPLETED. The caller must create `signals`
/// before it prints the job's id.
ExitCode follow_job(const Session& session, const SignalNotes& signals, store::ClientStore& store, const Uuid& job,
                    std::optional<Duration> timeout, Json answer);

}  // namespace holdfast::cli
