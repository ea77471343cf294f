#include "engine/recovery/recovery_report.h"

#include <algorithm>

namespace holdfast::engine {

bool RecoveryReport::is_empty() const {
    return std::ranges::all_of(report_counts, [&](const auto& row) { return this->*row.second == 0; });
}

RecoveryReport& RecoveryReport::operator+=(const RecoveryReport& other) {
    for (const auto& [name, count] : report_counts) this->*count += other.*count;
    remarks.insert(remarks.end(), other.remarks.begin(), other.remarks.end());
    return *this;
}

}  // namespace holdfast::engine
