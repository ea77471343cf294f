#include "platform/task_ids.h"

#include <unistd.h>

#include <mutex>
#include <utility>

#include "base/ids.h"
#include "platform/real_clock.h"
#include "platform/system_random.h"

namespace holdfast::platform {

Uuid new_task_id() {
    static std::mutex mutex;
    static UuidV7Maker maker;
    static pid_t owner = getpid();
    SystemRandom random;
    const std::lock_guard turn(mutex);
    // A forked child inherits the counter, so parent and child would make the same ids.
    const pid_t self = getpid();
    if (std::exchange(owner, self) != self) maker = UuidV7Maker();
    return maker.make(real_clock().now(), random);
}

}  // namespace holdfast::platform
