#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::store {

struct Route {
    std::int64_t id = 0;
    std::string queue;
    std::vector<std::string> tags;  ///< sorted
};

/// Does a worker serve the route: its queue is one of the worker's, and it carries every tag required?
[[nodiscard]] inline bool serves(const std::vector<std::string>& worker_queues,
                                 const std::vector<std::string>& worker_tags, const Route& route) {
    const auto carries = [&](const std::string& tag) { return std::ranges::count(worker_tags, tag) > 0; };
    return std::ranges::count(worker_queues, route.queue) > 0 && std::ranges::all_of(route.tags, carries);
}

}  // namespace holdfast::store
