#include <algorithm>

#include "api/resources.h"

namespace holdfast::api {

namespace {

bool shows_a_token(const http::Request& request) {
    return !request.header("authorization").empty() || session_cookie(request);
}

/// Whoever may know more than that the server is or is not ready. A probe is not held up by a store that is away.
bool is_known(Call& call, bool is_ready) {
    if (!is_ready && !shows_a_token(call.request)) return false;
    try {
        (void)call.identify();
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

Json shape_of(const std::vector<Readiness>& checks) {
    Json shape = Json::array();
    for (const Readiness& check : checks)
        shape.push_back({{"name", check.name}, {"ok", check.found.ok}, {"detail", check.found.detail}});
    return shape;
}

}  // namespace

http::Reply show_health(Call&) {
    return answer({{"status", "ok"}});
}

http::Reply show_readiness(Call& call) {
    auto checks = call.services.parts.readiness();
    checks.push_back({"live", call.services.live.sign().check()});
    const bool is_ready = std::ranges::all_of(checks, [](const Readiness& check) { return check.found.ok; });
    Json body = {{"status", is_ready ? "ready" : "not ready"}};
    if (is_known(call, is_ready)) body["checks"] = shape_of(checks);
    return answer(body, is_ready ? 200 : 503);
}

http::Reply show_metrics(Call& call) {
    http::Response response{.content_type = call.route.content_type, .body = call.services.parts.metrics()};
    response.headers.emplace_back("cache-control", "no-store");
    return response;
}

}  // namespace holdfast::api
