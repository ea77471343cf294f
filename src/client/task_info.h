#pragma once

#include "holdfast/task_info.h"
#include "store/store.h"

namespace holdfast::client {

// The store's records as the public API shows them.
[[nodiscard]] TaskInfo to_info(const store::TaskRecord& record);
[[nodiscard]] AttemptInfo to_info(const store::AttemptRecord& record);
[[nodiscard]] EventInfo to_info(const store::EventRecord& record);

}  // namespace holdfast::client
