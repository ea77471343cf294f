#pragma once

#include <vector>

#include "cli/command.h"
#include "cli/terminal/io.h"
#include "holdfast/function.h"

namespace holdfast::cli {

/// Runs one command line. Every error becomes one sentence on `io.err` and an exit code; exceptions do not escape.
/// `functions` are the application's, for the command `worker`; `more` adds commands to those of this folder.
[[nodiscard]] ExitCode run(int argc, const char* const* argv, Io& io, const FunctionTable& functions,
                           const std::vector<AddCommand>& more);

}  // namespace holdfast::cli
