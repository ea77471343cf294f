#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "holdfast/time.h"

namespace holdfast::platform {

/// The time that passes on this machine: the same for all its processes that count alike.
[[nodiscard]] Duration machine_time();

/// Does time pass while the machine sleeps? It does (CLOCK_BOOTTIME) for whoever deals with a database elsewhere,
/// where others watch meanwhile; not (CLOCK_MONOTONIC) where everybody concerned sleeps together. Holds for this
/// process and those that it starts from now on; counting sleep, once asked for, stays. Before there is a second
/// thread.
void count_sleep(bool counts);

/// The only loop of a process: what arrives on descriptors, and what other threads post, is handled by one thread.
/// Everything but post() belongs to that thread.
class ServiceLoop {
public:
    ServiceLoop();
    ~ServiceLoop();
    ServiceLoop(const ServiceLoop&) = delete;
    ServiceLoop& operator=(const ServiceLoop&) = delete;

    /// Calls `when_readable` in each turn in which the descriptor has something to read, or was closed by its peer.
    void watch(int descriptor, std::function<void()> when_readable);
    /// Before the descriptor is closed. Also from within its own callback.
    void forget(int descriptor);

    /// Has the loop's thread call `work` soon. From any thread.
    void post(std::function<void()> work);

    /// Waits for at most `at_most` for something to happen, and handles all that has: what arrived on descriptors
    /// before what was posted, so that a process that was stopped hears its own children before what others made of
    /// its silence.
    void turn(Duration at_most);

private:
    void handle_posted();

    int epoll_;
    int posted_signal_;  // an eventfd: something was posted
    std::map<int, std::shared_ptr<std::function<void()>>> watched_;
    std::mutex mutex_;
    std::deque<std::function<void()>> posted_;  // guarded by mutex_
};

}  // namespace holdfast::platform
