#include "engine/job_timers.h"

namespace holdfast::engine {

RecoveryReport JobTimers::run_once() {
    RecoveryReport report;
    report.woken = store_.end_due_waits(store::max_batch_rows);
    report.timed_out = store_.cancel_overdue_jobs(store::max_batch_rows, who_);
    return report;
}

}  // namespace holdfast::engine
