#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "holdfast/time.h"

namespace holdfast::worker {

/// Watches that the service loop turns. A process whose loop hangs can neither beat nor stop a run, so it ends
/// itself, and its keeper kills its runners. Time in which the guard itself did not run (a suspended process or
/// machine) does not count.
class LoopGuard {
public:
    LoopGuard(Duration patience, std::function<void(Duration)> when_stuck);
    ~LoopGuard();
    LoopGuard(const LoopGuard&) = delete;
    LoopGuard& operator=(const LoopGuard&) = delete;

    /// The loop has turned.
    void turned() { turns_.fetch_add(1, std::memory_order_relaxed); }

private:
    void watch();

    const Duration patience_;
    const std::function<void(Duration)> when_stuck_;
    std::atomic<std::uint64_t> turns_ = 0;
    std::mutex mutex_;
    std::condition_variable stop_signal_;
    bool stopping_ = false;  // guarded by mutex_
    std::thread thread_;
};

}  // namespace holdfast::worker
