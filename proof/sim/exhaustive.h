#pragma once

#include <functional>
#include <string>
#include <vector>

#include "proof/sim/world.h"

namespace holdfast::sim {

/// A small world whose every store call is made to fail, in every way, one after the other.
struct Scenario {
    std::string name;
    std::string what;
    WorldPlan plan;
    bool in_pairs = false;  ///< also every pair of calls, those of the recovery from the first included
};
[[nodiscard]] const std::vector<Scenario>& scenarios();
[[nodiscard]] const Scenario* find_scenario(const std::string& name);

/// One of so many parts of equal size, which can be run beside each other.
struct Part {
    std::uint64_t number = 1;
    std::uint64_t of = 1;
};
struct ExhaustiveCounts {
    std::uint64_t calls = 0;  ///< of the store, until everything has ended when nothing fails
    std::uint64_t single_faults = 0;
    std::uint64_t pairs = 0;
};

/// Tells each report; stops when told false. Every process that is killed is started again.
ExhaustiveCounts run_exhaustively(const Scenario& scenario, std::uint64_t seed, const Part& part,
                                  const std::function<bool(const RunOptions&, const RunReport&)>& tell);

}  // namespace holdfast::sim
