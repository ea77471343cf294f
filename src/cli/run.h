#pragma once

#include <vector>

#include "cli/command.h"
#include "cli/terminal/io.h"
#include "holdfast/function.h"

namespace holdfast::cli {

/// Runs one command line. Everything that goes wrong becomes one sentence on `io.err` and an exit code; nothing is
/// thrown. `functions` are the application's, for the command `worker`; `more` adds commands to those of this folder.
[[nodiscard]] ExitCode run(int argc, const char* const* argv, Io& io, const FunctionTable& functions,
                           const std::vector<AddCommand>& more);

}  // namespace holdfast::cli
