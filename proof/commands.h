#pragma once

#include "cli/session.h"
#include "holdfast/function.h"

namespace holdfast::proof {

using namespace cli;  // the commands of this folder are written as those in src/cli are

// The commands that show or measure Holdfast at work. They are not part of what a worker or a server needs, so the
// program adds them to the command line.

void add_demo(CLI::App& program, Action& chosen);
void add_bench(CLI::App& program, Action& chosen);

/// What a runner executes in a benchmark. Every program with these commands can run them; only a worker of a
/// benchmark announces them.
[[nodiscard]] const FunctionTable& bench_functions();

}  // namespace holdfast::proof
