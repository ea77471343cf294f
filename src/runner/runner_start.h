#pragma once

#include <sys/types.h>

#include <string>

#include "engine/worker/runners.h"
#include "platform/cgroups.h"

namespace holdfast::runner {

/// What a keeper gives to a new runner process.
struct RunnerStart {
    engine::RunnerId runner = 0;
    std::string worker;
    pid_t keeper = 0;
    int task_socket = -1;  ///< these four become the descriptors of roles.h
    int control_socket = -1;
    int keeper_pipe = -1;
    int withheld = -1;
    std::string folder;  ///< the runner may create this directory
    platform::CgroupPaths groups;
};

/// The part of it that the runner reads from its command line.
struct RunnerPlace {
    std::string folder;
    platform::CgroupPaths groups;
};
[[nodiscard]] RunnerPlace parse_place(int argc, char** argv);

/// Turns a forked child of the keeper into a runner.
[[noreturn]] void become_runner(const RunnerStart& start);

}  // namespace holdfast::runner
