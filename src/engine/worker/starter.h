#pragma once

#include <vector>

#include "engine/worker/run_book.h"

namespace holdfast::engine {

/// Chooses the CLAIMED tasks whose start is to be committed now: as many as runners are idle beyond `reserved`, in
/// the order of their claims; their runners are theirs from here on. Those whose start is in doubt come first again.
[[nodiscard]] std::vector<store::TaskLease> choose_starts(RunBook& book, std::size_t reserved, Duration now);

/// What its runner is told.
[[nodiscard]] RunOrder order_for(const Run& run);

}  // namespace holdfast::engine
