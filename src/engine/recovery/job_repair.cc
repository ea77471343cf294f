#include "engine/recovery/job_repair.h"

#include "base/text.h"

namespace holdfast::engine {

namespace {

constexpr std::size_t jobs_at_once = 100;
constexpr int batches_at_once = 10;

}  // namespace

RecoveryReport JobRepair::run_once() {
    RecoveryReport report;
    for (int batch = 0; batch < batches_at_once; ++batch) {
        const store::RepairAnswer answer = store_.repair_jobs({.after = after_, .limit = jobs_at_once, .who = who_});
        report.mended += static_cast<std::size_t>(answer.total());
        report.skipped += answer.poison.size();
        for (const auto& [job, why] : answer.poison)
            report.remarks.push_back(concat("job ", job.to_string(), " cannot be repaired: ", why));
        after_ = answer.more ? answer.last : Uuid();
        if (!answer.more) break;
    }
    return report;
}

}  // namespace holdfast::engine
