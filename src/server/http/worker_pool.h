#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace holdfast::http {

/// Threads in which what may block is done, and a line before them of which the length is limited.
class WorkerPool {
public:
    WorkerPool(std::size_t threads, std::size_t max_waiting);
    ~WorkerPool();  ///< stop()
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    /// Has a thread do it, soon; it must not throw. False: the line is full, or the pool has stopped.
    [[nodiscard]] bool try_run(std::function<void()> work);
    [[nodiscard]] std::size_t waiting() const;
    /// Drops what still waits, and returns when what runs has ended.
    void stop();

private:
    void work();

    const std::size_t max_waiting_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> waiting_;  // guarded by mutex_
    std::size_t idle_ = 0;                       // guarded by mutex_: threads that nothing in the line is meant for
    bool stopped_ = false;                       // guarded by mutex_
    std::vector<std::thread> threads_;
};

}  // namespace holdfast::http
