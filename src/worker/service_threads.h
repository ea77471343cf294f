#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "holdfast/time.h"
#include "store/store.h"

namespace holdfast::worker {

// The threads of a worker beside its service loop. Each ends with its object.

/// Performs calls to the store in another thread than the service loop's, which never waits for a database.
class Caller {
public:
    virtual ~Caller() = default;
    /// `call` must not throw. At most one call at a time is under way or waits.
    virtual void submit(std::function<void()> call) = 0;
};

/// A thread for calls to the store.
class StoreLane : public Caller {
public:
    StoreLane();
    /// Waits for the call under way, and drops one that has not begun.
    ~StoreLane() override;
    StoreLane(const StoreLane&) = delete;
    StoreLane& operator=(const StoreLane&) = delete;

    void submit(std::function<void()> call) override;

private:
    void run();

    std::mutex mutex_;
    std::condition_variable arrived_;
    std::function<void()> call_;  // guarded by mutex_, as is the next; empty: none waits
    bool stopping_ = false;
    std::thread thread_;
};

/// A thread that waits for the store's notifications about a topic.
class StoreWatch {
public:
    /// `when_news` is called in that thread.
    StoreWatch(store::WorkerStore& store, store::Topic topic, std::function<void()> when_news);
    ~StoreWatch();
    StoreWatch(const StoreWatch&) = delete;
    StoreWatch& operator=(const StoreWatch&) = delete;

private:
    const std::unique_ptr<store::Watch> watch_;
    std::atomic<bool> stopping_ = false;
    std::thread thread_;
};

/// Watches that the service loop turns. A process whose loop hangs can neither beat nor stop a run, so it ends
/// itself, and its keeper kills its runners. Time in which the guard itself did not run (a suspended process or
/// machine) does not count.
class LoopGuard {
public:
    LoopGuard(Duration patience, std::function<void(Duration)> when_stuck);

    /// The loop has turned.
    void turned() { turns_.fetch_add(1, std::memory_order_relaxed); }

private:
    void watch(const std::stop_token& stop);

    const Duration patience_;
    const std::function<void(Duration)> when_stuck_;
    std::atomic<std::uint64_t> turns_ = 0;
    std::jthread thread_;
};

}  // namespace holdfast::worker
