#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "store/store.h"

namespace holdfast::api {

using OpenStore = std::function<std::unique_ptr<store::Store>()>;

/// Connections that are lent for one request each, opened when they are first needed. Thread-safe; outlives what it
/// lends.
class StorePool {
public:
    /// `open` opens one more; at most `size` are open at a time.
    StorePool(OpenStore open, std::size_t size) : open_(std::move(open)), size_(size) {}

    class Lent {
    public:
        Lent(StorePool& pool, std::unique_ptr<store::Store> store) : pool_(&pool), store_(std::move(store)) {}
        ~Lent();
        Lent(Lent&&) = default;
        Lent& operator=(Lent&&) = delete;
        [[nodiscard]] store::Store& operator*() const { return *store_; }

    private:
        StorePool* pool_;
        std::unique_ptr<store::Store> store_;
    };

    /// Waits until one is free, for five seconds at most; then throws Unavailable. Throws what opening throws.
    [[nodiscard]] Lent lend();
    /// One more, beside those that are lent, for whoever keeps it.
    [[nodiscard]] std::unique_ptr<store::Store> open_own() const { return open_(); }

private:
    void take_back(std::unique_ptr<store::Store> store);

    const OpenStore open_;
    const std::size_t size_;
    std::mutex mutex_;
    std::condition_variable returned_;
    std::vector<std::unique_ptr<store::Store>> free_;  // guarded by mutex_
    std::size_t lent_ = 0;                             // guarded by mutex_
};

}  // namespace holdfast::api
