#include "engine/recovery/job_timers.h"

#include "base/text.h"

namespace holdfast::engine {

RecoveryReport JobTimers::run_once() {
    RecoveryReport report;
    report.timed_out = store_.cancel_overdue_jobs(store::max_batch_rows, who_);
    try {
        report.woken = store_.end_due_waits(store::max_batch_rows);
    } catch (const store::Unavailable&) {
        throw;
    } catch (const store::StoreError& fault) {
        ++report.skipped;
        report.remarks.push_back(concat("waits cannot be ended: ", fault.what()));
    }
    return report;
}

}  // namespace holdfast::engine
