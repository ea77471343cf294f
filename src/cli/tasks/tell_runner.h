#pragma once

#include "cli/terminal/io.h"
#include "runner/run_update.h"

namespace holdfast::cli {

/// Tells the runner of the task inside of which this program was called. Throws BadInput when it was not called
/// inside of one, or when the runner refuses what it is told.
void tell_runner(const Io& io, const runner::RunUpdate& update);

}  // namespace holdfast::cli
