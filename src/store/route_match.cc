#include "store/route_match.h"

#include <algorithm>

namespace holdfast::store {

bool serves(const std::vector<std::string>& worker_queues, const std::vector<std::string>& worker_tags,
            const Route& route) {
    const auto contains = [](const std::vector<std::string>& all, const std::string& one) {
        return std::find(all.begin(), all.end(), one) != all.end();
    };
    return contains(worker_queues, route.queue) &&
           std::all_of(route.tags.begin(), route.tags.end(),
                       [&](const std::string& tag) { return contains(worker_tags, tag); });
}

}  // namespace holdfast::store
