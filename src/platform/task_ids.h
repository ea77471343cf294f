#pragma once

#include "holdfast/uuid.h"

namespace holdfast::platform {

/// A fresh UUIDv7, greater than every one that this process made before. Safe from any thread and after a fork.
[[nodiscard]] Uuid new_task_id();

}  // namespace holdfast::platform
