#include <map>

#include "base/text.h"
#include "server/api/route.h"

namespace holdfast::api {

namespace {

using Segments = std::vector<std::string>;

Segments segments_of(const std::string& path) {
    Segments segments;
    for (std::size_t begin = 1; begin <= path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        segments.push_back(path.substr(begin, end - begin));
        begin = end + 1;
    }
    return segments;
}

bool is_name(const std::string& segment) {
    return segment.starts_with('{');
}

/// Returns the route table with its paths split into segments, built once.
const std::vector<std::pair<Segments, const Route*>>& cut_routes() {
    static const auto cut = [] {
        std::vector<std::pair<Segments, const Route*>> made;
        for (const Route& route : routes()) made.emplace_back(segments_of(route.path), &route);
        return made;
    }();
    return cut;
}

bool fits(const Segments& pattern, const Segments& path) {
    if (pattern.size() != path.size()) return false;
    for (std::size_t i = 0; i < path.size(); ++i)
        if (!(is_name(pattern[i]) ? !path[i].empty() : pattern[i] == path[i])) return false;
    return true;
}

RouteMatch matched(const Route& route, const Segments& pattern, const Segments& path) {
    RouteMatch match{.route = &route, .path = {}};
    for (std::size_t i = 0; i < path.size(); ++i)
        if (is_name(pattern[i])) match.path.emplace_back(pattern[i].substr(1, pattern[i].size() - 2), path[i]);
    return match;
}

[[noreturn]] void refuse_method(const std::string& method, const Segments& allowed) {
    const std::string list = join(allowed, ", ");
    throw Problem("METHOD_NOT_ALLOWED", concat("this route knows ", list, ", not ", method))
        .with_header("allow", list);
}

}  // namespace

RouteMatch match_route(const std::string& method, const Segments& path) {
    const std::string wanted = method == "HEAD" ? "GET" : method;
    Segments allowed;
    for (const auto& [pattern, route] : cut_routes()) {
        if (!fits(pattern, path)) continue;
        if (route->method == wanted) return matched(*route, pattern, path);
        allowed.push_back(route->method);
        if (route->method == "GET") allowed.emplace_back("HEAD");
    }
    if (!allowed.empty()) refuse_method(method, allowed);
    throw Problem("NO_SUCH_ROUTE", concat("there is no /", join(path, "/"), "; /api/docs lists what there is"));
}

http::Lane lane_of(const http::Request& request) {
    if (request.body.size() >= dear_body_bytes) return http::Lane::Dear;
    const std::string wanted = request.method == "HEAD" ? "GET" : request.method;
    for (const auto& [pattern, route] : cut_routes())
        if (route->method == wanted && fits(pattern, request.path)) return route->lane;
    return http::Lane::Usual;
}

bool is_route(const Segments& path) {
    for (const auto& [pattern, route] : cut_routes())
        if (fits(pattern, path)) return true;
    return false;
}

}  // namespace holdfast::api
