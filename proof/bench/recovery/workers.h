#pragma once

#include <string>

#include "proof/crew/process.h"

namespace holdfast::bench {

struct WorkerWords {
    std::string store;
    std::string name;
    std::string queue;
    int capacity = 2;
    bool sweeps = false;
    std::string through = {};  ///< a command that runs another one: "ip netns exec NAME"; not passed on
};

/// The body of `recovery_bench worker`: a real worker with processes for runners.
int be_worker(const WorkerWords& words);
/// The body of `recovery_bench claimer`: a process that claims ahead, beats, and starts no task.
int be_claimer(const WorkerWords& words);

/// Starts such a process; `mode` is "worker" or "claimer".
[[nodiscard]] crew::Process start_child(const std::string& mode, const WorkerWords& words);

}  // namespace holdfast::bench
