#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace holdfast {

/// A mutex that can be waited for with a limit. Unlike std::timed_mutex it is understood by ThreadSanitizer, which
/// does not know the function that one waits with.
class PatientMutex {
public:
    void lock() {
        std::unique_lock guard(mutex_);
        released_.wait(guard, [this] { return !is_held_; });
        is_held_ = true;
    }
    [[nodiscard]] bool try_lock_until(std::chrono::steady_clock::time_point limit) {
        std::unique_lock guard(mutex_);
        if (!released_.wait_until(guard, limit, [this] { return !is_held_; })) return false;
        is_held_ = true;
        return true;
    }
    void unlock() {
        {
            const std::lock_guard guard(mutex_);
            is_held_ = false;
        }
        released_.notify_one();
    }

private:
    std::mutex mutex_;
    std::condition_variable released_;
    bool is_held_ = false;
};

}  // namespace holdfast
