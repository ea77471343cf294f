#pragma once

#include "core/workflow/workflow.h"

namespace holdfast::core {

/// How the dependencies of a step (or the items of a for_each) have ended so far.
struct EndCounts {
    int open = 0;  ///< not ended
    int succeeded = 0;
    int failed = 0;  ///< FAILED or CANCELLED
    int skipped = 0;

    friend bool operator==(const EndCounts&, const EndCounts&) = default;
};

enum class Resolution { Wait, Run, Skip };

/// Decides as early as it is certain:
/// - All: Run when every dependency has succeeded; Skip as soon as one has not.
/// - Any: Run at the first success; Skip when all have ended without.
/// - Quorum: Run at the n-th success; Skip as soon as n can no longer be reached.
/// With `allow_failed_deps` nothing is skipped: a step whose join failed runs when all of its dependencies have
/// ended. A step without dependencies runs.
[[nodiscard]] Resolution resolve(const Join& join, bool allow_failed_deps, const EndCounts& dependencies);

}  // namespace holdfast::core
