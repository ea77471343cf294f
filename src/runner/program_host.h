#pragma once

#include "platform/cgroups.h"
#include "runner/messages.h"

namespace holdfast::runner {

/// The life of a runner process that hosts a runner program (docs/runner-protocol.md): it starts the program, hands
/// it the worker's runs, and reports what the program says. Between the two it stands for everything that the
/// program cannot be trusted with: beats, the fence, limits, output, and the end of every process.
[[noreturn]] void run_program_host(const Setup& setup, const platform::CgroupPaths& groups);

}  // namespace holdfast::runner
