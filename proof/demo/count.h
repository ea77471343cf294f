#pragma once

#include <optional>
#include <string>
#include <vector>

#include "proof/demo/tasks.h"

namespace holdfast::proof {

/// The outcome of the demo.
struct DemoCount {
    int submitted = 0;
    int completed = 0;
    int rerun = 0;                        ///< completed tasks that ran again after a crash, as their policy says
    int failed_by_policy = 0;             ///< cut short, and their policy says: not again
    int lost = 0;                         ///< without an end, or COMPLETED without having run to one
    int run_twice = 0;                    ///< against policy
    std::vector<std::string> complaints;  ///< every deviation from what must be, a sentence each

    [[nodiscard]] bool is_right() const { return complaints.empty(); }
};

/// Compares what the store says about each task (`records`, in their order) with what the tasks wrote. Pure.
[[nodiscard]] DemoCount count_demo(const std::vector<DemoTask>& tasks,
                                   const std::vector<std::optional<store::TaskRecord>>& records,
                                   const crew::LedgerLines& ledger);

}  // namespace holdfast::proof
