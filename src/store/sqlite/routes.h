#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "store/route_match.h"
#include "store/sqlite/lane.h"

namespace holdfast::sqlite {

/// The interned routes, cached: they are never changed or deleted. Guarded by the lane's lock.
class Routes {
public:
    /// The route's id; interned when new.
    [[nodiscard]] std::int64_t intern(Transaction& tx, const std::string& queue,
                                      const std::vector<std::string>& tags);
    [[nodiscard]] const store::Route& find(Database& db, std::int64_t id);
    /// Those that a worker with these queues and tags (as stored, JSON) serves.
    [[nodiscard]] std::vector<std::int64_t> served(Database& db, const Uuid& worker, std::string_view queues,
                                                   std::string_view tags);
    /// To be called when a transaction was rolled back: what it interned is gone.
    void forget();

private:
    /// What a worker serves, as of the newest route then known.
    struct Served {
        std::string queues;
        std::string tags;
        std::int64_t newest_route = 0;
        std::vector<std::int64_t> routes;
    };

    void read_new(Database& db);

    std::map<std::int64_t, store::Route> routes_;
    std::map<std::pair<std::string, std::string>, std::int64_t> ids_;  // by queue and encoded tags
    std::unordered_map<Uuid, Served> served_;
};

}  // namespace holdfast::sqlite
