#include "engine/recovery_report.h"

namespace holdfast::engine {

RecoveryReport& RecoveryReport::operator+=(const RecoveryReport& other) {
    workers_lost += other.workers_lost;
    requeued += other.requeued;
    rerun += other.rerun;
    ended += other.ended;
    asked += other.asked;
    expired += other.expired;
    rejected += other.rejected;
    pruned += other.pruned;
    skipped += other.skipped;
    remarks.insert(remarks.end(), other.remarks.begin(), other.remarks.end());
    return *this;
}

}  // namespace holdfast::engine
