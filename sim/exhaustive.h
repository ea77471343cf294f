#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/world.h"

namespace holdfast::sim {

/// A small world whose every store call is made to fail, in every way, one after the other.
struct Scenario {
    std::string name;
    std::string what;
    WorldPlan plan;
    bool in_pairs = false;  ///< also every pair of calls
};
[[nodiscard]] const std::vector<Scenario>& scenarios();
[[nodiscard]] const Scenario* find_scenario(const std::string& name);

/// Tells each report; stops when told false.
void run_exhaustively(const Scenario& scenario, std::uint64_t seed,
                      const std::function<bool(const RunOptions&, const RunReport&)>& tell);

}  // namespace holdfast::sim
