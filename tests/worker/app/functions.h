#pragma once

#include "holdfast/function.h"
#include "proof/crew/ledger.h"

namespace holdfast::worker_test {

/// Well-behaved and misbehaving tasks. Each writes its begin to the ledger, and its end when its code returns.
[[nodiscard]] FunctionTable app_functions(const crew::Ledger& ledger);

}  // namespace holdfast::worker_test
