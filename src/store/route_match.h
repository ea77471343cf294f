#pragma once

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
[[nodiscard]] bool serves(const std::vector<std::string>& worker_queues, const std::vector<std::string>& worker_tags,
                          const Route& route);

}  // namespace holdfast::store
