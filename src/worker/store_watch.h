#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include "store/store.h"

namespace holdfast::worker {

/// A thread that waits for the store's notifications about a topic.
class StoreWatch {
public:
    /// `when_news` is called in that thread.
    StoreWatch(store::WorkerStore& store, store::Topic topic, std::function<void()> when_news);
    ~StoreWatch();
    StoreWatch(const StoreWatch&) = delete;
    StoreWatch& operator=(const StoreWatch&) = delete;

private:
    void run();

    const std::unique_ptr<store::Watch> watch_;
    const std::function<void()> when_news_;
    std::atomic<bool> stopping_ = false;
    std::thread thread_;
};

}  // namespace holdfast::worker
