#include "engine/recovery/job_services.h"

#include "base/text.h"

namespace holdfast::engine {

namespace {

constexpr std::size_t jobs_at_once = 100;
constexpr int repairs_at_once = 10;

}  // namespace

RecoveryReport JobTimers::run_once() {
    RecoveryReport report;
    report.timed_out = store_.cancel_overdue_jobs(store::max_batch_rows, who_);
    if (const auto fault = fault_of([&] { report.woken = store_.end_due_waits(store::max_batch_rows); }))
        report.skip(concat("waits cannot be ended: ", *fault));
    return report;
}

RecoveryReport JobRepair::run_once() {
    RecoveryReport report;
    for (int batch = 0; batch < repairs_at_once; ++batch) {
        const store::RepairAnswer answer = store_.repair_jobs({.after = after_, .limit = jobs_at_once, .who = who_});
        report.mended += static_cast<std::size_t>(answer.total());
        for (const auto& [job, why] : answer.poison)
            report.skip(concat("job ", job.to_string(), " cannot be repaired: ", why));
        after_ = answer.more ? answer.last : Uuid();
        if (!answer.more) break;
    }
    return report;
}

}  // namespace holdfast::engine
