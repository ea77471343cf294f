#pragma once

#include <optional>

#include "cli/session.h"
#include "cli/terminal/json_shapes.h"

namespace holdfast::cli {

/// The result of waiting for a task: the ended task, or nullopt after a timeout.
struct Ending {
    Uuid id;
    std::optional<store::TaskRecord> task;
};

[[nodiscard]] Ending await_ending(store::ClientStore& store, const Uuid& id, std::optional<Duration> timeout);

/// Prints the result of a COMPLETED task, or reports any other ending on the error stream. Returns Done only for
/// COMPLETED.
ExitCode report_ending(const Io& io, const Ending& ending);

/// The members that --json adds after a wait: {"timed_out", "task"}.
[[nodiscard]] Json to_json_shape(const Ending& ending);
[[nodiscard]] ExitCode exit_code_of(const Ending& ending);

}  // namespace holdfast::cli
