#pragma once

#include <string>

#include "cli/terminal/json_shapes.h"

namespace holdfast::cli {

// What recovery services did, as counts by name.

/// "workers lost 1, requeued 2"; "nothing" where all are zero.
[[nodiscard]] std::string counts_text(const Json& counts);

}  // namespace holdfast::cli
