#include <algorithm>

#include "base/text.h"
#include "server/api/route.h"

namespace holdfast::api {

namespace {

using Pattern = std::vector<std::string_view>;
using Segments = std::vector<std::string>;

bool is_name(std::string_view segment) {
    return segment.starts_with('{');
}

/// Returns the route table with its paths split into segments, built once.
const std::vector<std::pair<Pattern, const Route*>>& cut_routes() {
    static const auto cut = [] {
        std::vector<std::pair<Pattern, const Route*>> made;
        for (const Route& route : routes())
            made.emplace_back(split(std::string_view(route.path).substr(1), '/'), &route);
        return made;
    }();
    return cut;
}

bool fits(const Pattern& pattern, const Segments& path) {
    return std::ranges::equal(pattern, path, [](std::string_view wanted, const std::string& segment) {
        return is_name(wanted) ? !segment.empty() : wanted == segment;
    });
}

RouteMatch matched(const Route& route, const Pattern& pattern, const Segments& path) {
    RouteMatch match{.route = &route, .path = {}};
    for (std::size_t i = 0; i < path.size(); ++i)
        if (is_name(pattern[i])) match.path.emplace(pattern[i].substr(1, pattern[i].size() - 2), path[i]);
    return match;
}

std::string method_of(const std::string& method) {
    return method == "HEAD" ? "GET" : method;
}

}  // namespace

RouteMatch match_route(const std::string& method, const Segments& path) {
    Segments allowed;
    for (const auto& [pattern, route] : cut_routes()) {
        if (!fits(pattern, path)) continue;
        if (route->method == method_of(method)) return matched(*route, pattern, path);
        allowed.push_back(route->method);
        if (route->method == "GET") allowed.emplace_back("HEAD");
    }
    if (allowed.empty())
        throw Problem("NO_SUCH_ROUTE", concat("there is no /", join(path, "/"), "; /api/docs lists what there is"));
    const std::string list = join(allowed, ", ");
    throw Problem("METHOD_NOT_ALLOWED", concat("this route knows ", list, ", not ", method))
        .with_header("allow", list);
}

http::Lane lane_of(const http::Request& request) {
    if (request.body.size() >= dear_body_bytes) return http::Lane::Dear;
    for (const auto& [pattern, route] : cut_routes())
        if (route->method == method_of(request.method) && fits(pattern, request.path)) return route->lane;
    return http::Lane::Usual;
}

bool is_route(const Segments& path) {
    return std::ranges::any_of(cut_routes(), [&](const auto& cut) { return fits(cut.first, path); });
}

}  // namespace holdfast::api
