#pragma once

#include <vector>

#include "store/store.h"

namespace holdfast::store {

/// Gives every item of a submit the limit of its key that is in force at the end: that of the last item with the key.
void tell_last_limits(const std::vector<NewTask>& tasks, std::vector<SubmitOutcome>& outcomes);

}  // namespace holdfast::store
