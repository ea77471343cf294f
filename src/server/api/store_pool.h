#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "store/store.h"

namespace holdfast::api {

using OpenStore = std::function<std::unique_ptr<store::Store>()>;

/// A pool of connections to the store, each lent for one request and opened on first use. Thread-safe; it outlives
/// the connections that it lends.
class StorePool {
public:
    /// `open` opens a connection; the pool has at most `size` of them open.
    StorePool(OpenStore open, std::size_t size) : open_(std::move(open)), size_(size) {}

    struct TakeBack {
        StorePool* pool = nullptr;
        void operator()(store::Store* store) const { pool->take_back(std::unique_ptr<store::Store>(store)); }
    };
    /// Its destructor gives the connection back.
    using Lent = std::unique_ptr<store::Store, TakeBack>;

    /// Lends a connection. Waits at most five seconds for a free one, then throws Unavailable; passes on the
    /// exceptions of `open`.
    [[nodiscard]] Lent lend();

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
