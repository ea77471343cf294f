#pragma once

#include <sys/types.h>

#include <string>

#include "engine/runners.h"

namespace holdfast::runner {

/// What a new runner process is given by its keeper.
struct RunnerStart {
    engine::RunnerId runner = 0;
    std::string worker;
    pid_t keeper = 0;
    int task_socket = -1;  ///< these three become the descriptors of roles.h
    int control_socket = -1;
    int keeper_pipe = -1;
};

/// Turns a forked child of the keeper into a runner.
[[noreturn]] void become_runner(const RunnerStart& start);

}  // namespace holdfast::runner
