#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "platform/signals.h"

namespace holdfast::http {

/// Threads for work that may block, behind a queue of limited length.
class WorkerPool {
public:
    using Steady = std::chrono::steady_clock;

    WorkerPool(std::size_t threads, std::size_t max_waiting) : max_waiting_(max_waiting) {
        const platform::SignalPause signals_are_for_other_threads;
        for (std::size_t count = 0; count < threads; ++count) threads_.emplace_back([this] { work(); });
    }
    ~WorkerPool() { stop(); }
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    /// Queues the work for a thread; the work must not throw. Returns false when the queue is full or the pool has
    /// stopped. From any thread.
    [[nodiscard]] bool try_run(std::function<void()> work) {
        {
            const std::lock_guard lock(mutex_);
            // Each idle thread takes one item at once, so the queue may be longer by the number of idle threads.
            if (stopped_ || waiting_.size() >= max_waiting_ + threads_.size() - busy_) return false;
            waiting_.push_back(std::move(work));
        }
        changed_.notify_one();
        return true;
    }

    /// Whether every thread has been busy with the same work for longer than `bound`, so that queued work may wait
    /// for ever. From any thread.
    [[nodiscard]] bool is_stuck(Steady::duration bound) const {
        const std::lock_guard lock(mutex_);
        return busy_ == threads_.size() && Steady::now() - last_taken_ > bound;
    }

    [[nodiscard]] std::size_t waiting() const {
        const std::lock_guard lock(mutex_);
        return waiting_.size();
    }

    /// Drops the queued work and returns when the running work has ended.
    void stop() {
        std::deque<std::function<void()>> dropped;
        {
            const std::lock_guard lock(mutex_);
            stopped_ = true;
            dropped.swap(waiting_);
        }
        changed_.notify_all();
        for (std::thread& thread : threads_)
            if (thread.joinable()) thread.join();
    }

private:
    void work() {
        std::unique_lock lock(mutex_);
        while (true) {
            changed_.wait(lock, [this] { return stopped_ || !waiting_.empty(); });
            if (stopped_) return;
            ++busy_;
            last_taken_ = Steady::now();
            std::function<void()> next = std::move(waiting_.front());
            waiting_.pop_front();
            lock.unlock();
            next();
            next = nullptr;  // destroys the captures before the lock is taken again
            lock.lock();
            --busy_;
        }
    }

    const std::size_t max_waiting_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> waiting_;  // guarded by mutex_
    std::size_t busy_ = 0;                       // guarded by mutex_: threads that do work
    Steady::time_point last_taken_ = {};         // guarded by mutex_: when a thread last took work
    bool stopped_ = false;                       // guarded by mutex_
    std::vector<std::thread> threads_;
};

}  // namespace holdfast::http
