#pragma once

#include <string>
#include <vector>

#include "store/check_rules.h"
#include "store/jobs/job_tables.h"

namespace holdfast::store {

/// A rule that an open job breaks, and how.
struct JobFault {
    CheckRule rule = CheckRule::JobCounters;
    std::string wrong = {};

    friend bool operator==(const JobFault&, const JobFault&) = default;
};

/// Compares the counters of an open job, and those of its steps, with its steps. `steps` has every row of the job:
/// steps and items.
[[nodiscard]] std::vector<JobFault> job_faults(const core::WorkflowPlan& plan, const JobProgress& progress,
                                               const std::vector<StepRow>& steps);

/// The open jobs of a store, on one snapshot.
class OpenJobs {
public:
    virtual ~OpenJobs() = default;

    /// Returns jobs that have not ended, in the order of their ids, after this one.
    virtual std::vector<JobRow> after(const Uuid& job, std::size_t limit) = 0;
    /// Returns the steps and items of these jobs, in any order.
    virtual std::vector<StepRow> steps_of(const std::vector<Uuid>& jobs) = 0;
    /// Returns JSON text; empty: there is none.
    virtual std::string definition_text(const Uuid& definition) = 0;
};
void check_open_jobs(OpenJobs& open, CheckReport& report);

}  // namespace holdfast::store
