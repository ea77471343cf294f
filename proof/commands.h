#pragma once

#include "cli/command.h"
#include "holdfast/function.h"

namespace holdfast::proof {

// The commands that show or measure Holdfast at work. A worker or a server does not need them: only the program
// `holdfast` has them, and applications that call App::main do not.

void add_demo(cli::Command& program);
void add_bench(cli::Command& program);
/// `holdfast bench chaos`: real processes on stores of their own, and everything that can happen to them.
void add_bench_chaos(cli::Command& bench);

/// The functions that runners execute in a benchmark or a chaos run. Every runner of the program has them; only the
/// workers of such a run announce them.
[[nodiscard]] const FunctionTable& bench_functions();

}  // namespace holdfast::proof
