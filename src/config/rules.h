#pragma once

#include "config/draft.h"

namespace holdfast::config {

/// Checks what must hold between fields, on the effective values: a threshold is so and so many times an interval.
void check_rules(Draft& draft);

}  // namespace holdfast::config
