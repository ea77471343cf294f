#pragma once

#include <functional>
#include <memory>

#include "store/store.h"

namespace holdfast::server {

/// Called with the verb of a store call and its duration, in the thread of the caller; must not throw.
using WhenTimed = std::function<void(const char* verb, Duration took)>;

/// Returns a store that forwards to `store` and reports the duration of each call to `tell`.
[[nodiscard]] std::unique_ptr<store::Store> timed(std::unique_ptr<store::Store> store, WhenTimed tell);

}  // namespace holdfast::server
