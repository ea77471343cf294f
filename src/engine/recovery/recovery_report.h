#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/errors.h"

namespace holdfast::engine {

/// What one pass of a recovery service did.
struct RecoveryReport {
    std::size_t workers_lost = 0;
    std::size_t requeued = 0;  ///< had not started: PENDING again
    std::size_t rerun = 0;     ///< cut short, and PENDING again by its policy
    std::size_t ended = 0;     ///< cut short, and FAILED or CANCELLED
    std::size_t asked = 0;     ///< live workers that were asked to stop a run
    std::size_t expired = 0;
    std::size_t rejected = 0;
    std::size_t woken = 0;      ///< waits and approvals whose time had come
    std::size_t timed_out = 0;  ///< jobs that took too long: cancelled
    std::size_t mended = 0;     ///< steps and jobs that were repaired
    std::size_t fired = 0;      ///< slots of schedules that were decided
    std::size_t pruned = 0;
    std::size_t skipped = 0;           ///< could not be handled: retried later
    std::vector<std::string> remarks;  ///< sentences for people

    /// Notes something that could not be handled.
    void skip(std::string remark) {
        ++skipped;
        remarks.push_back(std::move(remark));
    }
    [[nodiscard]] bool is_empty() const;
    RecoveryReport& operator+=(const RecoveryReport& other);
};

/// Every count with its name, in the order of a task's life.
inline constexpr std::pair<std::string_view, std::size_t RecoveryReport::*> report_counts[] = {
    {"workers_lost", &RecoveryReport::workers_lost},
    {"requeued", &RecoveryReport::requeued},
    {"rerun", &RecoveryReport::rerun},
    {"ended", &RecoveryReport::ended},
    {"asked", &RecoveryReport::asked},
    {"expired", &RecoveryReport::expired},
    {"rejected", &RecoveryReport::rejected},
    {"woken", &RecoveryReport::woken},
    {"timed_out", &RecoveryReport::timed_out},
    {"mended", &RecoveryReport::mended},
    {"fired", &RecoveryReport::fired},
    {"pruned", &RecoveryReport::pruned},
    {"skipped", &RecoveryReport::skipped},
};

inline bool RecoveryReport::is_empty() const {
    return std::ranges::all_of(report_counts, [&](const auto& row) { return this->*row.second == 0; });
}

inline RecoveryReport& RecoveryReport::operator+=(const RecoveryReport& other) {
    for (const auto& [name, count] : report_counts) this->*count += other.*count;
    remarks.insert(remarks.end(), other.remarks.begin(), other.remarks.end());
    return *this;
}

/// Runs `body`; returns why the store refused it, nullopt when it did not. Unavailable is thrown on: it ends the
/// sweep.
template <typename Body>
[[nodiscard]] std::optional<std::string> fault_of(const Body& body) {
    try {
        body();
        return std::nullopt;
    } catch (const store::Unavailable&) {
        throw;
    } catch (const store::StoreError& fault) {
        return fault.what();
    }
}

}  // namespace holdfast::engine
