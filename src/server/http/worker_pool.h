#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace holdfast::http {

/// Threads for work that may block, behind a queue of limited length.
class WorkerPool {
public:
    WorkerPool(std::size_t threads, std::size_t max_waiting);
    ~WorkerPool();  ///< stop()
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    /// Queues the work for a thread; the work must not throw. Returns false when the queue is full or the pool has
    /// stopped. From any thread.
    [[nodiscard]] bool try_run(std::function<void()> work);
    [[nodiscard]] std::size_t waiting() const;
    /// Drops the queued work and returns when the running work has ended.
    void stop();

private:
    void work();

    const std::size_t max_waiting_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> waiting_;  // guarded by mutex_
    std::size_t idle_ = 0;                       // guarded by mutex_: threads that wait for work
    bool stopped_ = false;                       // guarded by mutex_
    std::vector<std::thread> threads_;
};

}  // namespace holdfast::http
