#pragma once

#include <vector>

#include "store/store.h"

namespace holdfast::store {

/// Tells every item of a submit the limit of its key that is in force at the end: of several items with the same key,
/// what the last one was told.
void tell_last_limits(const std::vector<NewTask>& tasks, std::vector<SubmitOutcome>& outcomes);

}  // namespace holdfast::store
