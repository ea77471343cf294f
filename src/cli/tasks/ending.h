#pragma once

#include <optional>

#include "cli/session.h"
#include "cli/terminal/json_shapes.h"

namespace holdfast::cli {

/// Where a wait for a task has led: the ended task, or nullopt when it took too long.
struct Ending {
    Uuid id;
    std::optional<store::TaskRecord> task;
};

[[nodiscard]] Ending await_ending(store::ClientStore& store, const Uuid& id, std::optional<Duration> timeout);

/// Prints the result of a COMPLETED task, or says on the error stream how else it ended; Done only for COMPLETED.
ExitCode report_ending(const Io& io, const Ending& ending);

/// {"timed_out", "task"}: what --json adds about a wait.
[[nodiscard]] Json to_json_shape(const Ending& ending);
[[nodiscard]] ExitCode exit_code_of(const Ending& ending);

}  // namespace holdfast::cli
