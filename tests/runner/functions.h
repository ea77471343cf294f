#pragma once

#include "holdfast/function.h"

namespace holdfast::runner {

/// What the runners of these tests can do.
[[nodiscard]] FunctionTable test_functions();

}  // namespace holdfast::runner
