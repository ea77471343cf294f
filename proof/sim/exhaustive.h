#pragma once

#include <functional>
#include <string>
#include <vector>

#include "proof/sim/world.h"

namespace holdfast::sim {

/// A small world in which every store call fails in every way, one run for each.
struct Scenario {
    std::string name;
    std::string what;
    WorldPlan plan;
    bool in_pairs = false;  ///< also every pair of calls, the second perhaps during the recovery from the first
};
[[nodiscard]] const std::vector<Scenario>& scenarios();
[[nodiscard]] const Scenario* find_scenario(const std::string& name);

/// One of several parts of equal size that can run in parallel.
struct Part {
    std::uint64_t number = 1;
    std::uint64_t of = 1;
};
struct ExhaustiveCounts {
    std::uint64_t calls = 0;  ///< store calls until everything has ended, when nothing fails
    std::uint64_t single_faults = 0;
    std::uint64_t pairs = 0;
};

/// Passes each report to `tell`, and stops when it returns false. Every killed process is started again.
ExhaustiveCounts run_exhaustively(const Scenario& scenario, std::uint64_t seed, const Part& part,
                                  const std::function<bool(const RunOptions&, const RunReport&)>& tell);

}  // namespace holdfast::sim
