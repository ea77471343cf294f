#pragma once

#include <optional>

#include "cli/session.h"

namespace holdfast::cli {

/// Waits for the end of a task and reports it. Prints the result of a COMPLETED task, or any other ending on the
/// error stream; with --json, `answer` and the members {"timed_out", "task"}. Returns Done only for COMPLETED.
/// When it has not ended after a second, it says on the error stream what the task waits for.
ExitCode await_task(const Session& session, store::ClientStore& store, const Uuid& id,
                    std::optional<Duration> timeout, Json answer);

/// The same, but prints what its runs print as it comes, instead of the result.
ExitCode follow_task(const Session& session, store::ClientStore& store, const Uuid& id,
                     std::optional<Duration> timeout, Json answer);

}  // namespace holdfast::cli
