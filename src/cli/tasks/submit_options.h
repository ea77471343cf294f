#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "core/task/task_options.h"
#include "holdfast/task.h"

namespace holdfast::cli {

/// What a person typed after the flag of one of core::task_options(); empty where nothing was said.
struct TaskFlag {
    std::string text;
    std::vector<std::string> texts;  ///< of a list: the flag may be repeated
};

/// The options of `submit` as a person typed them; empty where nothing was said.
struct SubmitFlags {
    std::string id, idempotency_key, traceparent, run_at, delay, deadline;
    std::vector<TaskFlag> options = std::vector<TaskFlag>(core::task_options().size());  ///< in their order
};

/// Declares them on a command.
void add_submit_options(Command& command, SubmitFlags& flags);

/// Overrides `options` with everything that does not depend on the store's clock; tags are added. Throws BadInput
/// that names the flag.
void read_submit_options(const SubmitFlags& flags, SubmitOptions& options);

/// Adds --run-at, --delay and --deadline, counted from `now` by the store's clock; without --deadline, `deadline`.
void read_times(const SubmitFlags& flags, std::optional<Duration> deadline, Timestamp now, SubmitOptions& options);

}  // namespace holdfast::cli
