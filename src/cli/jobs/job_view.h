#pragma once

#include <memory>

#include "cli/session.h"

namespace holdfast::cli {

/// Where a person sees what happens to a job.
class JobView {
public:
    virtual ~JobView() = default;
    /// Looks at the job, shows what has become of it, and returns it. Throws UnknownJob.
    virtual JobInfo show(const Uuid& job) = 0;
};

/// A tree that is redrawn, on a terminal that can show it; else one line for each change, on the error stream, so
/// that the output keeps to the job's own; nothing with --json. The session and the store outlive it.
[[nodiscard]] std::unique_ptr<JobView> make_job_view(const Session& session, store::ClientStore& store);

}  // namespace holdfast::cli
