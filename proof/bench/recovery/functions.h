#pragma once

#include "holdfast/function.h"

namespace holdfast::bench {

/// `recovery.run`: writes a line to the ledger named in its arguments, then goes on until it is killed. A second run
/// of the same task writes its line and returns.
[[nodiscard]] const FunctionTable& recovery_functions();

inline constexpr const char* run_task = "recovery.run";

}  // namespace holdfast::bench
