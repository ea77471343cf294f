#pragma once

#include <functional>

#include "base/log.h"
#include "base/random.h"
#include "platform/service_loop.h"

namespace holdfast::platform {

/// Calls `work`, which uses a store, and calls it again after a growing pause whenever it throws Unavailable. The
/// loop turns during the pauses. Says when an outage begins, every 30 s, and when it ends. Returns true when `work`
/// has succeeded, false when `gives_up` returned true before. Passes on any other exception of `work`.
[[nodiscard]] bool until_reachable(ServiceLoop& loop, Random& random, Log& log, const std::function<bool()>& gives_up,
                                   const std::function<void()>& work);

}  // namespace holdfast::platform
