#pragma once

#include <vector>

#include "cli/command.h"
#include "holdfast/function.h"

namespace holdfast::cli {

/// The additions of a program to the commands of this folder.
struct ProgramExtras {
    std::vector<AddCommand> commands = {};
    FunctionTable functions = {};  ///< executed by its runners, but not announced by `worker`
};

/// The main function of every program with this command line: it acts as a runner, or runs one command. `functions`
/// are the application's. Returns the exit code. Must be called before the program starts a thread.
[[nodiscard]] int program_main(int argc, char** argv, const FunctionTable& functions, ProgramExtras extras = {});

}  // namespace holdfast::cli
