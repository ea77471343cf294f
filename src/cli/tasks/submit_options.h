#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "core/task/task_options.h"
#include "holdfast/task.h"

namespace holdfast::cli {

/// The value typed after the flag of one of core::task_options(); empty members were not given.
struct TaskFlag {
    std::string text;
    std::vector<std::string> texts;  ///< of a list: one for each repetition of the flag
};

/// The options of `submit` as typed; empty members were not given.
struct SubmitFlags {
    std::string id, idempotency_key, traceparent, run_at, delay, deadline;
    std::vector<TaskFlag> options = std::vector<TaskFlag>(core::task_options().size());  ///< in their order
};

/// Adds the options to a command.
void add_submit_options(Command& command, SubmitFlags& flags);

/// Overrides `options` with all flags that do not depend on the store's clock; tags are added. Throws BadInput that
/// names the flag.
void read_submit_options(const SubmitFlags& flags, SubmitOptions& options);

/// Sets the times from --run-at, --delay and --deadline, relative to `now` by the store's clock; `deadline` is the
/// default of --deadline.
void read_times(const SubmitFlags& flags, std::optional<Duration> deadline, Timestamp now, SubmitOptions& options);

}  // namespace holdfast::cli
