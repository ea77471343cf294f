#pragma once

#include <optional>

#include "holdfast/function.h"

namespace holdfast {

/// A program that runs a worker with isolation `process` calls this first in its main(), before it starts a thread:
///
///     int main(int argc, char** argv) {
///         const FunctionTable functions = my_functions();
///         if (const auto exit_code = holdfast::runner_main(argc, argv, functions)) return *exit_code;
///         ...
///     }
///
/// The worker starts its runners as new processes of the same program. In those this does all the work and returns
/// their exit code; in every other process it returns nullopt at once.
[[nodiscard]] std::optional<int> runner_main(int argc, char** argv, const FunctionTable& functions);

}  // namespace holdfast
