#include "server/api/store_pool.h"

#include <chrono>

namespace holdfast::api {

StorePool::Lent StorePool::lend() {
    constexpr auto patience = std::chrono::seconds(5);
    std::unique_lock lock(mutex_);
    if (!returned_.wait_for(lock, patience, [&] { return lent_ < size_; }))
        throw Unavailable("every connection of the server to its store is busy");
    ++lent_;
    if (!free_.empty()) {
        Lent store(free_.back().release(), {this});
        free_.pop_back();
        return store;
    }
    lock.unlock();
    try {
        return {open_().release(), {this}};
    } catch (...) {
        lock.lock();
        --lent_;
        returned_.notify_one();
        throw;
    }
}

void StorePool::take_back(std::unique_ptr<store::Store> store) {
    const std::lock_guard lock(mutex_);
    --lent_;
    free_.push_back(std::move(store));
    returned_.notify_one();
}

}  // namespace holdfast::api
