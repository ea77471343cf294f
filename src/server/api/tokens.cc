#include <fmt/format.h>

#include "base/ids.h"
#include "base/text.h"
#include "server/api/resources.h"
#include "views/token.h"

namespace holdfast::api {

namespace {

/// The store decides how long a session lasts; the browser may keep its cookie for longer.
constexpr Duration cookie_lasts = std::chrono::hours(24 * 30);

Json session_shape(Call& call, const Caller& caller) {
    return {{"name", caller.name},
            {"scope", word_of(caller.scope)},
            {"queues", caller.queues},
            {"login", caller.has_token() ? "token" : "none"},
            {"session", caller.session.is_nil() ? Json() : Json(caller.session.to_string())},
            {"version", call.services.parts.version},
            {"store", caller.may_know_store() ? Json(call.store().describe()) : Json()}};
}

http::Response with_cookie(const Call& call, http::Response response, const std::string& secret, Duration lasts) {
    response.headers.emplace_back(
        "set-cookie",
        fmt::format("holdfast_session={}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}{}", secret,
                    std::chrono::floor<std::chrono::seconds>(lasts).count(), call.request.secure ? "; Secure" : ""));
    return response;
}

store::NewToken read_token(Call& call, const std::string& secret) {
    store::NewToken token{
        .id = make_uuid_v4(call.services.random),
        .name = call.body_text("name"),
        .hash = hash_token_secret(secret),
        .scope = parse_word<store::Scope>(call.body_text("scope")).value_or(store::Scope::Read),
        .queues = given<std::vector<std::string>>(call.body, "queues").value_or(std::vector<std::string>()),
        .who = call.caller.who()};
    if (const auto lasts = length_in(call.body, "expires_in")) token.expires_at = call.store().now() + *lasts;
    return token;
}

void warn_when_none_is_left(Call& call) {
    if (store::has_valid(call.store().tokens(), call.store().now())) return;
    call.services.log.write({LogLevel::Warning,
                             "The last valid token was revoked, and without one the server stays shut; 'holdfast "
                             "tokens create NAME --scope admin', run directly on the store, makes one",
                             {{"who", call.caller.who()}}});
}

}  // namespace

// ---- Sessions ------------------------------------------------------------------------------------

http::Reply show_session(Call& call) {
    return answer(session_shape(call, call.identify()));
}

http::Reply log_in(Call& call) {
    Access& access = call.services.access;
    require_same_site(call.request);
    access.require_login_patience(call.request.peer);
    const auto session = access.log_in(call.body_text("token"), call.request.peer, call.services.random);
    if (!session) {
        access.note_failed_login(call.request.peer);
        throw Problem("BAD_TOKEN", "this token is unknown, has expired or was revoked");
    }
    const auto& [caller, secret] = *session;
    call.note_caller(caller);
    return with_cookie(call, answer(session_shape(call, caller)), secret, cookie_lasts);
}

/// Ends the session of the cookie, if it is still valid.
http::Reply log_out(Call& call) {
    require_same_site(call.request);
    if (const auto caller = call.services.access.session_of(call.request)) {
        call.note_caller(*caller);
        (void)call.store().end_session(caller->session, caller->who());
        call.services.access.forget();
    }
    return with_cookie(call, answer({{"status", "logged out"}}), "", Duration::zero());
}

http::Reply end_session(Call& call) {
    const auto id = Uuid::parse(call.path("id"));
    if (!id || !call.store().end_session(*id, call.caller.who()))
        throw Problem("NOT_FOUND", concat("there is no session '", call.path("id"), "', or it has ended"));
    call.services.access.forget();
    return answer({{"id", id->to_string()}, {"status", "ended"}});
}

// ---- Tokens --------------------------------------------------------------------------------------

http::Reply create_token(Call& call) {
    const std::string secret = make_token_secret();
    const store::NewToken token = read_token(call, secret);
    if (call.store().create_token(token) == store::CreateTokenStatus::NameTaken)
        throw Problem("CONFLICT",
                      concat("there is a token '", token.name, "' already; revoke it, or choose another name"));
    call.services.access.forget();
    return answer(views::MadeToken{.record = *call.store().find_token(token.hash), .secret = secret}, 201);
}

http::Reply revoke_token(Call& call) {
    const std::string& name = call.path("name");
    if (!call.store().revoke_token(name, call.caller.who()))
        throw Problem("NOT_FOUND", concat("there is no token '", name, "', or it was revoked before"));
    call.services.access.forget();
    warn_when_none_is_left(call);
    return answer({{"name", name}, {"status", "revoked"}});
}

}  // namespace holdfast::api
