#include "worker/service_threads.h"

#include <algorithm>
#include <utility>

#include "platform/service_loop.h"

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
        call_ = std::move(call);
    }
    arrived_.notify_one();
}

void StoreLane::run() {
    while (true) {
        std::function<void()> call;
        {
            std::unique_lock lock(mutex_);
            arrived_.wait(lock, [this] { return stopping_ || call_ != nullptr; });
            if (stopping_) return;
            call = std::exchange(call_, nullptr);
        }
        call();
    }
}

StoreWatch::StoreWatch(store::WorkerStore& store, store::Topic topic, std::function<void()> when_news)
    : watch_(store.watch(topic)), thread_([this, when_news = std::move(when_news)] {
          while (!stopping_)
              if (watch_->wait(std::chrono::seconds(10))) when_news();
      }) {}

StoreWatch::~StoreWatch() {
    stopping_ = true;
    watch_->wake();
    thread_.join();
}

LoopGuard::LoopGuard(Duration patience, std::function<void(Duration)> when_stuck)
    : patience_(patience),
      when_stuck_(std::move(when_stuck)),
      thread_([this](const std::stop_token& stop) { watch(stop); }) {}

void LoopGuard::watch(const std::stop_token& stop) {
    const Duration look_every = std::min<Duration>(std::chrono::seconds(1), patience_ / 4);
    std::uint64_t seen_turns = 0;
    Duration stuck_for{};
    Duration looked_at = platform::machine_time();
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    while (!stopped.wait_for(lock, stop, look_every, [&] { return stop.stop_requested(); })) {
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
