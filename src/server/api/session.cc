#include <fmt/format.h>

#include "server/api/cross_site.h"
#include "server/api/resources.h"

namespace holdfast::api {

namespace {

constexpr Duration longest_session = std::chrono::hours(24 * 30);

Json session_shape(Call& call, const Caller& caller) {
    return {{"name", caller.name},
            {"scope", word_of(caller.scope)},
            {"queues", caller.queues},
            {"login", caller.hash.empty() ? "none" : "token"},
            {"version", call.services.parts.version},
            {"store", call.store().describe()}};
}

std::string cookie(const http::Request& request, const std::string& secret, Duration lasts) {
    return fmt::format("holdfast_session={}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}{}", secret,
                       std::chrono::floor<std::chrono::seconds>(lasts).count(), request.secure ? "; Secure" : "");
}

}  // namespace

http::Reply show_session(Call& call) {
    return answer(session_shape(call, call.identify()));
}

http::Reply log_in(Call& call) {
    Access& access = call.services.access;
    require_same_site(call.request);
    access.require_login_patience(call.request.peer);
    const std::string secret = call.body_text("token");
    const auto caller = access.bearer_of(secret, call.request.peer);
    if (!caller) {
        access.note_failed_login(call.request.peer);
        throw Problem("BAD_TOKEN", "this token is unknown, has expired or was revoked");
    }
    call.note_caller(*caller);
    http::Response response = answer(session_shape(call, *caller));
    response.headers.emplace_back("set-cookie", cookie(call.request, secret, longest_session));
    return response;
}

http::Reply log_out(Call& call) {
    require_same_site(call.request);
    http::Response response = answer({{"status", "logged out"}});
    response.headers.emplace_back("set-cookie", cookie(call.request, "", Duration::zero()));
    return response;
}

}  // namespace holdfast::api
