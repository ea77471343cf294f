#pragma once

#include <functional>
#include <string>
#include <vector>

#include "proof/chaos/summary.h"

namespace holdfast::chaos {

struct ChaosParams {
    Settings settings = {};
    std::vector<int> ports = {};   ///< of the nodes of a cluster; empty: free ones
    std::string cluster_url = {};  ///< of a cluster that another program runs and fails over; empty: none
    std::string promotions_file =
        {};                   ///< where that program notes each promotion: a line with the seconds since 1970
    std::string output = {};  ///< the folder for results and evidence; empty: kept only after a broken promise
    std::function<void(const std::string&)> say = [](const std::string&) {};  ///< progress, for the person who waits
};

struct ChaosResult {
    Summary summary = {};
    std::string kept = {};  ///< the folder with ledger, logs, picture and figures; empty: none
};

/// Runs real workers and servers on a store of its own, under load, while a nemesis injects faults; waits until
/// everything has settled, and compares what ran with what the store says. Ends every process that it started. The
/// calling process should have no other children or threads. Throws std::runtime_error when the run cannot be set up.
[[nodiscard]] ChaosResult run_chaos(ChaosParams params);

}  // namespace holdfast::chaos
