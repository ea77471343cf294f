#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "base/descriptor.h"
#include "holdfast/time.h"

namespace holdfast::platform {

/// The monotonic time of this machine, equal in all processes that count sleep alike.
[[nodiscard]] Duration machine_time();

/// A length of time for poll() and epoll_wait(): in milliseconds, rounded up; 0 when it is negative.
[[nodiscard]] int poll_timeout(Duration length);

/// Whether machine_time() counts the time in which the machine sleeps. It does (CLOCK_BOOTTIME) for a database on
/// another machine, where observers go on meanwhile; it does not (CLOCK_MONOTONIC) where all observers sleep
/// together. Holds for this process and those that it starts later, and cannot be undone. To be called before there
/// is a second thread.
void count_sleep(bool counts);

/// The only loop of a process: one thread handles the input of descriptors and the work that other threads post, and
/// other threads may come inside while it waits. Only one thread at a time is inside. Only post() and inside() may be
/// called from outside.
class ServiceLoop {
public:
    ServiceLoop();

    /// Calls `when_readable` in each turn in which the descriptor is readable, or was closed by its peer.
    void watch(int descriptor, std::function<void()> when_readable);
    /// To be called before the descriptor is closed; also from within its own callback.
    void forget(int descriptor);

    /// Makes the loop's thread call `work` soon. From any thread.
    void post(std::function<void()> work);

    /// Calls `work` inside the loop: nothing else is handled meanwhile. From any thread that is not inside yet.
    template <typename Work>
    void inside(const Work& work) {
        const std::lock_guard lock(inside_);
        work();
    }

    /// Waits for at most `at_most` until something happens, and handles all of it. Descriptors come before posted
    /// work: a process that was suspended thus hears its own children before it learns how others judged its silence.
    void turn(Duration at_most);

private:
    void await_input(int descriptor) const;
    void handle_posted();

    std::mutex inside_;  // held by the thread that is inside
    Descriptor epoll_;
    Descriptor posted_signal_;  // an eventfd: work was posted
    std::map<int, std::shared_ptr<std::function<void()>>> watched_;
    std::mutex mutex_;
    std::deque<std::function<void()>> posted_;  // guarded by mutex_
};

}  // namespace holdfast::platform
