#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace holdfast::worker {

/// A thread for calls to the store, one after the other, so that the service loop never waits for a database.
class StoreLane {
public:
    StoreLane();
    /// Waits for the call under way, and drops those that have not begun.
    ~StoreLane();
    StoreLane(const StoreLane&) = delete;
    StoreLane& operator=(const StoreLane&) = delete;

    /// `call` must not throw.
    void submit(std::function<void()> call);

private:
    void run();

    std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<std::function<void()>> calls_;  // guarded by mutex_, as is the next
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace holdfast::worker
