#pragma once

#include <algorithm>
#include <vector>

#include "store/recovery_store.h"

namespace holdfast::store {

/// What retention may remove, as both stores find it.
struct OldRows {
    std::vector<std::int64_t> heartbeats = {}, worker_states = {}, orders = {};
    std::vector<Uuid> tasks = {}, trees = {}, workers = {};  ///< trees: the jobs at the top

    /// The answer when all of it is removed; `limit` is how much of each was looked for.
    [[nodiscard]] PruneAnswer answer(std::size_t limit) const {
        const auto most = std::max(
            {heartbeats.size(), worker_states.size(), tasks.size(), trees.size(), workers.size(), orders.size()});
        return {.heartbeats = std::ssize(heartbeats),
                .worker_states = std::ssize(worker_states),
                .tasks = std::ssize(tasks),
                .jobs = std::ssize(trees),
                .workers = std::ssize(workers),
                .orders = std::ssize(orders),
                .more = most >= limit};
    }
};

}  // namespace holdfast::store
