#include "worker/loop_guard.h"

#include <algorithm>

#include "platform/service_loop.h"

namespace holdfast::worker {

LoopGuard::LoopGuard(Duration patience, std::function<void(Duration)> when_stuck)
    : patience_(patience), when_stuck_(std::move(when_stuck)), thread_([this] { watch(); }) {}

LoopGuard::~LoopGuard() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    stop_signal_.notify_one();
    thread_.join();
}

void LoopGuard::watch() {
    const Duration look_every = std::min<Duration>(std::chrono::seconds(1), patience_ / 4);
    std::uint64_t seen_turns = 0;
    Duration stuck_for{};
    Duration looked_at = platform::machine_time();
    std::unique_lock lock(mutex_);
    while (!stop_signal_.wait_for(lock, look_every, [this] { return stopping_; })) {
        const Duration now = platform::machine_time();
        const Duration passed = std::min(now - looked_at, look_every);
        looked_at = now;
        const std::uint64_t turns = turns_.load(std::memory_order_relaxed);
        stuck_for = turns == seen_turns ? stuck_for + passed : Duration::zero();
        seen_turns = turns;
        if (stuck_for > patience_) when_stuck_(stuck_for);
    }
}

}  // namespace holdfast::worker
