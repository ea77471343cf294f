#pragma once

#include <string>
#include <vector>

#include "holdfast/time.h"

namespace holdfast::bench {

/// How workers die.
enum class Death {
    Runner,   ///< kill -9 of a runner
    Worker,   ///< kill -9 of a worker with running tasks
    Claimer,  ///< kill -9 of a worker with CLAIMED tasks
    Silent,   ///< SIGSTOP of a worker
    Cut,      ///< the network between workers and database goes away
};

struct RecoveryParams {
    std::string store;
    Death death = Death::Worker;
    int kills = 200;
    int at_once = 10;  ///< workers of one round
    // For Cut: the command that starts workers, their store, and the commands that cut them off and undo it.
    std::string through = {};
    std::string victims_store = {};
    std::string cut = {};
    std::string mend = {};
};

/// Milliseconds from each death.
struct RecoveryFigures {
    std::vector<double> settled;  ///< until a task with on_crash: fail was FAILED
    std::vector<double> again;    ///< until a task that may run again, or was CLAIMED, began elsewhere
    int lost = 0;                 ///< tasks that did not end
    int doubled = 0;              ///< tasks that ran more often than their policy allows
};
[[nodiscard]] RecoveryFigures measure_recovery(const RecoveryParams& params);

}  // namespace holdfast::bench
