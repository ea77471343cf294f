#pragma once

#include <functional>
#include <memory>

#include "store/store.h"

namespace holdfast::server {

/// Which verb was asked for, and how long the answer took. From the thread that asked; must not throw.
using WhenTimed = std::function<void(const char* verb, Duration took)>;

/// The same store, with every call to it measured.
[[nodiscard]] std::unique_ptr<store::Store> timed(std::unique_ptr<store::Store> store, WhenTimed tell);

}  // namespace holdfast::server
