#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/api/answers.h"
#include "server/api/schema.h"
#include "server/http/server.h"
#include "store/token_records.h"

namespace holdfast::api {

class Call;
using Handler = http::Reply (*)(Call&);

struct Parameter {
    std::string name = {};
    Json schema = {};  ///< of a list: separated by commas
};

/// One thing that can be asked of the server. All that is known about a route stands here: the router, the
/// authorisation, the checks of parameters and bodies, and the OpenAPI document are made of it.
struct Route {
    std::string method = {};
    std::string path = {};                   ///< "/api/tasks/{id}/cancel"
    std::optional<store::Scope> scope = {};  ///< nullopt: anybody
    std::string tag = {};                    ///< the chapter of the documentation: "Tasks"
    std::string summary = {};                ///< one sentence without its full stop
    std::vector<Parameter> query = {};
    std::string body = {};    ///< the schema of the request's body; empty: it has none
    std::string answer = {};  ///< the schema of the answer; empty: it is not JSON
    Handler handler = nullptr;
    int status = 200;  ///< of success
    std::string content_type = "application/json";
    bool needs_all_queues = false;  ///< not for tokens that are limited to queues
    bool may_exist = false;         ///< 200 where the same had been done before
    /// Also while the store is away: whoever it last said may ask may ask then.
    bool answers_without_store = false;
    http::Lane lane = http::Lane::Usual;
};

/// Every route, by chapter.
[[nodiscard]] const std::vector<Route>& routes();

/// A route and what stood in the place of its {names}.
struct RouteMatch {
    const Route* route = nullptr;
    std::vector<std::pair<std::string, std::string>> path = {};
};

/// The route of a request; HEAD is answered as GET. Throws NO_SUCH_ROUTE, or METHOD_NOT_ALLOWED with those that are.
[[nodiscard]] RouteMatch match_route(const std::string& method, const std::vector<std::string>& path);
/// Whether any route has this path, whatever the method.
[[nodiscard]] bool is_route(const std::vector<std::string>& path);

/// A body of this size or more makes a request a dear one, whatever its route.
inline constexpr std::size_t dear_body_bytes = 256 << 10;
/// Which threads answer the request: its route's, or those for dear ones.
[[nodiscard]] http::Lane lane_of(const http::Request& request);

}  // namespace holdfast::api
