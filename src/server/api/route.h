#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "server/api/schema.h"
#include "server/http/server.h"
#include "store/token_records.h"

namespace holdfast::api {

class Call;
using Handler = http::Reply (*)(Call&);

struct Parameter {
    std::string name = {};
    Json schema = {};  ///< the items of a list are separated by commas
};

/// One route of the API, with every fact about it. The router, the authorisation, the checks of parameters and
/// bodies, and the OpenAPI document all derive from it.
struct Route {
    std::string method = {};
    std::string path = {};                   ///< "/api/tasks/{id}/cancel"
    std::optional<store::Scope> scope = {};  ///< nullopt: any client, even without a token
    std::string tag = {};                    ///< its chapter in the documentation: "Tasks"
    std::string summary = {};                ///< one sentence without the full stop
    std::vector<Parameter> query = {};
    std::string body = {};    ///< the schema of the request body; empty: without a body
    std::string answer = {};  ///< the schema of the answer; empty: not JSON
    Handler handler = nullptr;
    int status = 200;  ///< of a successful answer
    std::string content_type = "application/json";
    bool needs_all_queues = false;  ///< refuses tokens that are limited to queues
    bool may_exist = false;         ///< may answer 200: the same had been done before
    /// Served even while the store is unreachable, with the last known permissions.
    bool answers_without_store = false;
    http::Lane lane = http::Lane::Usual;
};

/// Returns every route, by chapter.
[[nodiscard]] const std::vector<Route>& routes();

/// Returns the OpenAPI 3.1 document of all routes.
[[nodiscard]] Json openapi_document(const std::string& version);

/// A route, and the values of the {names} in its path.
struct RouteMatch {
    const Route* route = nullptr;
    std::map<std::string, std::string> path = {};
};

/// Returns the route of a request; HEAD matches GET. Throws NO_SUCH_ROUTE, or METHOD_NOT_ALLOWED with the allowed
/// methods.
[[nodiscard]] RouteMatch match_route(const std::string& method, const std::vector<std::string>& path);
/// Whether any route has this path, with any method.
[[nodiscard]] bool is_route(const std::vector<std::string>& path);

/// Whether the request is for the page and not for the API.
[[nodiscard]] bool belongs_to_page(const http::Request& request);

/// A request with a body of this size or more is costly (Lane::Dear), on any route but those of workers.
inline constexpr std::size_t dear_body_bytes = 256 << 10;
/// Returns the lane whose threads answer the request: that of its route, Lane::Memory for the page, or Lane::Dear for
/// a large body of any other lane than Lane::Work.
[[nodiscard]] http::Lane lane_of(const http::Request& request);

}  // namespace holdfast::api
