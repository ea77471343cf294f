#include <algorithm>

#include "base/text.h"
#include "server/api/resources.h"

namespace holdfast::api {

namespace {

/// Whether the client may see every check, by the last known tokens: a probe never waits for the store.
bool is_known(Call& call) {
    try {
        const auto caller = call.services.access.recall(call.request, call.services.parts.store_is_out());
        if (caller) call.note_caller(*caller);
        return caller.has_value();
    } catch (const Problem&) {
        return false;
    }
}

std::string text_of(const VitalSign::Check& check) {
    return check.failure.empty() ? check.detail : concat(check.detail, ": ", check.failure);
}

/// Returns the failed checks in a form that any client may see: "store: last done 12.3s ago".
std::string reason_of(const std::vector<Readiness>& checks) {
    std::vector<std::string> reasons;
    for (const Readiness& check : checks)
        if (!check.found.ok) reasons.push_back(concat(check.name, ": ", check.found.detail));
    return join(reasons, "; ");
}

Json shape_of(const std::vector<Readiness>& checks) {
    Json shape = Json::array();
    for (const Readiness& check : checks)
        shape.push_back({{"name", check.name}, {"ok", check.found.ok}, {"detail", text_of(check.found)}});
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
    if (!is_ready) body["reason"] = reason_of(checks);
    if (is_known(call)) body["checks"] = shape_of(checks);
    return answer(body, is_ready ? 200 : 503);
}

http::Response answer_before_start(const http::Request& request, const std::vector<Readiness>& checks) {
    if (request.path == std::vector<std::string>{"healthz"}) return answer({{"status", "ok"}});
    if (request.path == std::vector<std::string>{"readyz"})
        return answer({{"status", "not ready"}, {"reason", concat("it has not started yet; ", reason_of(checks))}},
                      503);
    return Problem("STORE_UNAVAILABLE", "the server starts, and waits for its store; try again in a moment")
        .with_header("retry-after", "2")
        .response();
}

http::Reply show_metrics(Call& call) {
    return http::Response{.headers = {{"cache-control", "no-store"}},
                          .content_type = call.route.content_type,
                          .body = call.services.parts.metrics()};
}

}  // namespace holdfast::api
