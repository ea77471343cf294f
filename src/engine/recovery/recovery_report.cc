#include "engine/recovery/recovery_report.h"

namespace holdfast::engine {

RecoveryReport& RecoveryReport::operator+=(const RecoveryReport& other) {
    workers_lost += other.workers_lost;
    requeued += other.requeued;
    rerun += other.rerun;
    ended += other.ended;
    asked += other.asked;
    expired += other.expired;
    rejected += other.rejected;
    woken += other.woken;
    timed_out += other.timed_out;
    mended += other.mended;
    fired += other.fired;
    pruned += other.pruned;
    skipped += other.skipped;
    remarks.insert(remarks.end(), other.remarks.begin(), other.remarks.end());
    return *this;
}

std::vector<std::pair<std::string_view, std::size_t>> counts_of(const RecoveryReport& report) {
    return {{"workers_lost", report.workers_lost},
            {"requeued", report.requeued},
            {"rerun", report.rerun},
            {"ended", report.ended},
            {"asked", report.asked},
            {"expired", report.expired},
            {"rejected", report.rejected},
            {"woken", report.woken},
            {"timed_out", report.timed_out},
            {"mended", report.mended},
            {"fired", report.fired},
            {"pruned", report.pruned},
            {"skipped", report.skipped}};
}

}  // namespace holdfast::engine
