#pragma once

#include "core/workflow/workflow.h"

namespace holdfast::core {

/// Counts how the dependencies of a step (or the items of a for_each) have ended so far.
struct EndCounts {
    int open = 0;  ///< not ended
    int succeeded = 0;
    int failed = 0;  ///< FAILED or CANCELLED
    int skipped = 0;

    friend bool operator==(const EndCounts&, const EndCounts&) = default;
};

enum class Resolution { Wait, Run, Skip };

/// Decides whether a step runs, is skipped or still waits, as early as the outcome is certain:
/// - All: Run when every dependency has succeeded; Skip as soon as one has ended otherwise.
/// - Any: Run at the first success; Skip when all have ended without one.
/// - Quorum: Run at the n-th success; Skip as soon as n can no longer be reached.
/// With `allow_failed_deps` a step is never skipped: when its join fails, it runs as soon as all of its dependencies
/// have ended. A step without dependencies runs.
[[nodiscard]] Resolution resolve(const Join& join, bool allow_failed_deps, const EndCounts& dependencies);

}  // namespace holdfast::core
