#pragma once

#include <vector>

#include "cli/command.h"
#include "holdfast/function.h"

namespace holdfast::cli {

/// What a program has beside the commands of this folder.
struct ProgramExtras {
    std::vector<AddCommand> commands = {};
    FunctionTable functions = {};  ///< its runners execute them, but `worker` does not announce them
};

/// The main function of every program with this command line: it is a runner, or runs one command. `functions` are
/// the application's. Returns the exit code. To be called before the program starts a thread.
[[nodiscard]] int program_main(int argc, char** argv, const FunctionTable& functions, ProgramExtras extras = {});

}  // namespace holdfast::cli
