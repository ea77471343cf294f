#pragma once

#include "cli/io.h"

namespace holdfast::cli {

/// Runs one command line. Everything that goes wrong becomes one sentence on `io.err` and an exit code; nothing is
/// thrown.
[[nodiscard]] ExitCode run(int argc, const char* const* argv, Io& io);

}  // namespace holdfast::cli
