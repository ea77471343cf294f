#include "server/http/worker_pool.h"

#include <utility>

#include "platform/signal_pause.h"

namespace holdfast::http {

WorkerPool::WorkerPool(std::size_t threads, std::size_t max_waiting) : max_waiting_(max_waiting) {
    const platform::SignalPause signals_are_for_other_threads;
    for (std::size_t count = 0; count < threads; ++count) threads_.emplace_back([this] { work(); });
}

WorkerPool::~WorkerPool() {
    stop();
}

bool WorkerPool::try_run(std::function<void()> work) {
    {
        const std::lock_guard lock(mutex_);
        // Each idle thread takes one item at once, so the queue may be longer by the number of idle threads.
        if (stopped_ || waiting_.size() >= max_waiting_ + idle_) return false;
        waiting_.push_back(std::move(work));
    }
    changed_.notify_one();
    return true;
}

std::size_t WorkerPool::waiting() const {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
}

void WorkerPool::stop() {
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

void WorkerPool::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        ++idle_;
        changed_.wait(lock, [this] { return stopped_ || !waiting_.empty(); });
        --idle_;
        if (stopped_) return;
        std::function<void()> next = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        next();
        next = nullptr;  // destroys the captures before the lock is taken again
        lock.lock();
    }
}

}  // namespace holdfast::http
