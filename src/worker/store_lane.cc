#include "worker/store_lane.h"

namespace holdfast::worker {

StoreLane::StoreLane() : thread_([this] { run(); }) {}

StoreLane::~StoreLane() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    arrived_.notify_one();
    thread_.join();
}

void StoreLane::submit(std::function<void()> call) {
    {
        const std::lock_guard lock(mutex_);
        calls_.push_back(std::move(call));
    }
    arrived_.notify_one();
}

void StoreLane::run() {
    while (true) {
        std::function<void()> call;
        {
            std::unique_lock lock(mutex_);
            arrived_.wait(lock, [this] { return stopping_ || !calls_.empty(); });
            if (stopping_) return;
            call = std::move(calls_.front());
            calls_.pop_front();
        }
        call();
    }
}

}  // namespace holdfast::worker
