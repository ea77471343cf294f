#include "core/workflow/join.h"

#include "base/assert.h"

namespace holdfast::core {

namespace {

int wanted(const Join& join, const EndCounts& dependencies) {
    const int all = dependencies.open + dependencies.succeeded + dependencies.failed + dependencies.skipped;
    switch (join.kind) {
        case JoinKind::All:
            return all;
        case JoinKind::Any:
            return all == 0 ? 0 : 1;
        case JoinKind::Quorum:
            return join.quorum;
    }
    HOLDFAST_ASSERT(false);
}

}  // namespace

Resolution resolve(const Join& join, bool allow_failed_deps, const EndCounts& dependencies) {
    const int needed = wanted(join, dependencies);
    if (dependencies.succeeded >= needed) return Resolution::Run;
    if (dependencies.succeeded + dependencies.open >= needed) return Resolution::Wait;
    if (!allow_failed_deps) return Resolution::Skip;
    return dependencies.open == 0 ? Resolution::Run : Resolution::Wait;
}

}  // namespace holdfast::core
