#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include "store/store.h"

namespace holdfast::worker {

/// A thread that waits for the store's word that there may be work.
class WorkWatch {
public:
    /// `when_news` is called in that thread.
    WorkWatch(store::Store& store, std::function<void()> when_news);
    ~WorkWatch();
    WorkWatch(const WorkWatch&) = delete;
    WorkWatch& operator=(const WorkWatch&) = delete;

private:
    void run();

    const std::unique_ptr<store::Watch> watch_;
    const std::function<void()> when_news_;
    std::atomic<bool> stopping_ = false;
    std::thread thread_;
};

}  // namespace holdfast::worker
