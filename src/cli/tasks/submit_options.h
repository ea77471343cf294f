#pragma once

#include <string>
#include <vector>

#include "holdfast/task.h"

namespace CLI {
class App;
}

namespace holdfast::cli {

/// The options of `submit` as a person typed them; empty where nothing was said.
struct SubmitFlags {
    std::string id, idempotency_key, traceparent, queue, priority, run_at, delay, deadline;
    std::string attempt_timeout, max_attempts, retry_base, retry_factor, retry_cap, retry_jitter;
    std::string on_crash, max_crashes, fence, unmatched, concurrency_key, concurrency_limit;
    std::vector<std::string> tags, retry_delays, retry_on;
};

/// Declares them on a command.
void add_submit_options(CLI::App& command, SubmitFlags& flags);

/// Lays everything that does not depend on the store's clock over `options`; tags are added. Throws BadInput that
/// names the option.
void read_submit_options(const SubmitFlags& flags, SubmitOptions& options);

/// Adds --run-at, --delay and --deadline, counted from `now` by the store's clock; without --deadline, `deadline`.
void read_times(const SubmitFlags& flags, std::optional<Duration> deadline, Timestamp now, SubmitOptions& options);

}  // namespace holdfast::cli
