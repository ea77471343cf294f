#pragma once

#include <map>
#include <mutex>
#include <unordered_map>

#include "store/postgres/lane.h"
#include "store/route_match.h"

namespace holdfast::postgres {

/// The routes that a worker serves, and what that was computed from; the claim compares it with what the database
/// says.
struct ServedRoutes {
    std::vector<std::string> queues;
    std::vector<std::string> tags;
    std::int64_t route_count = -1;
    std::vector<int> routes;
};

/// The routes that this process has read. Rows of `route` never change, so they stay valid. Thread-safe.
class Routes {
public:
    explicit Routes(Lane& lane) : lane_(lane) {}

    /// The route's number; made, in a transaction of its own, when it is new.
    [[nodiscard]] int intern(const std::string& queue, const std::vector<std::string>& tags);
    /// The same inside a transaction under way, without caching it before the commit.
    [[nodiscard]] int intern(Transaction& tx, const std::string& queue, const std::vector<std::string>& tags);
    [[nodiscard]] store::Route find(int id);

    [[nodiscard]] ServedRoutes served(const Uuid& worker);
    /// Reads the worker's registration and all routes anew.
    void refresh(const Uuid& worker);

private:
    [[nodiscard]] std::optional<int> known(const std::string& queue, const std::vector<std::string>& tags);
    void remember(int id, const std::string& queue, const std::vector<std::string>& tags);
    void read_all();

    Lane& lane_;
    std::mutex mutex_;
    std::map<int, store::Route> routes_;
    std::map<std::pair<std::string, std::vector<std::string>>, int> ids_;
    std::unordered_map<Uuid, ServedRoutes> served_;
};

}  // namespace holdfast::postgres
