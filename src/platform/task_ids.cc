#include "platform/task_ids.h"

#include <unistd.h>

#include <mutex>

#include "base/ids.h"
#include "platform/real_clock.h"
#include "platform/system_random.h"

namespace holdfast::platform {

namespace {

class ProcessTaskIds {
public:
    Uuid next() {
        const std::lock_guard turn(mutex_);
        forget_parent();
        return maker_.make(real_clock().now(), random_);
    }

private:
    // A forked child inherits the counter, so parent and child would make the same ids.
    void forget_parent() {
        if (const pid_t now = getpid(); now != owner_) {
            maker_ = UuidV7Maker();
            owner_ = now;
        }
    }

    std::mutex mutex_;
    SystemRandom random_;
    UuidV7Maker maker_;
    pid_t owner_ = getpid();
};

}  // namespace

Uuid new_task_id() {
    static ProcessTaskIds ids;
    return ids.next();
}

}  // namespace holdfast::platform
