#pragma once

#include <optional>

#include "cli/session.h"

namespace holdfast::cli {

/// Waits for the end of a task and reports it. Prints the result of a COMPLETED task, or any other ending on the
/// error stream; with --json, `answer` and the members {"timed_out", "task"}. Returns Done only for COMPLETED.
ExitCode await_task(const Session& session, store::ClientStore& store, const Uuid& id,
                    std::optional<Duration> timeout, Json answer);

}  // namespace holdfast::cli
