#pragma once

#include <memory>

#include "cli/session.h"

namespace holdfast::cli {

/// Shows the progress of a job to a person.
class JobView {
public:
    virtual ~JobView() = default;
    /// Reads the job, shows its changes and returns it. Throws UnknownJob.
    virtual JobInfo show(const Uuid& job) = 0;
};

/// Creates a tree that is redrawn in place, on a terminal that supports it; otherwise one line for each change, on
/// the error stream, so that standard output contains only the job's output; no output with --json. The session and
/// the store must outlive it.
[[nodiscard]] std::unique_ptr<JobView> make_job_view(const Session& session, store::ClientStore& store);

}  // namespace holdfast::cli
