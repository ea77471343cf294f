#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "config/catalog.h"
#include "core/task/task_options.h"
#include "holdfast/task.h"

namespace holdfast::cli {

/// The work that a person describes with flags; empty members were not given.
struct WorkFlags {
    std::string name, script, image, dir;
    std::vector<std::string> env;  ///< NAME=VALUE
};
void add_work_options(Command& command, WorkFlags& flags);

using config::Submission;

/// Returns the definition of that name, filled from the arguments (JSON text) and overridden by the flags. Without a
/// definition, returns the task that the flags describe. Throws BadInput that names the missing or invalid part.
[[nodiscard]] Submission read_submission(const WorkFlags& flags, const config::Catalog& catalog,
                                         const std::string& args);

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

/// The options of a command that can wait for the task or job that it starts.
struct WaitFlags {
    bool wait = false;
    std::string timeout;
};
void add_wait_options(Command& command, WaitFlags& flags, const char* help);
/// Returns --timeout; nullopt when it was not given. Throws BadInput without --wait; `instead` names the setting that
/// limits the work itself.
[[nodiscard]] std::optional<Duration> read_timeout(const WaitFlags& flags, std::string_view instead);

}  // namespace holdfast::cli
