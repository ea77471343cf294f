#pragma once

#include "holdfast/function.h"

namespace holdfast::runner {

/// A runner's whole life: says that it is ready, executes one task after the other, each of which ends with every
/// process that it has started, and returns the exit code when it may run no more.
int run_runner(int argc, char** argv, const FunctionTable& functions);

}  // namespace holdfast::runner
