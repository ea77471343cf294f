#pragma once

#include <vector>

#include "engine/worker/run_book.h"

namespace holdfast::engine {

/// Chooses the CLAIMED tasks to start now: one for each idle runner beyond `reserved`, in the order of their claims,
/// and assigns their runners. Tasks whose start is in doubt come first again.
[[nodiscard]] std::vector<store::TaskLease> choose_starts(RunBook& book, std::size_t reserved, Duration now);

/// The order for its runner.
[[nodiscard]] RunOrder order_for(const Run& run);

}  // namespace holdfast::engine
