#include <algorithm>

#include "base/ids.h"
#include "base/text.h"
#include "server/api/resources.h"
#include "server/api/token_secret.h"
#include "views/token.h"

namespace holdfast::api {

namespace {

store::NewToken read_token(Call& call, const std::string& secret) {
    store::NewToken token;
    token.id = make_uuid_v4(call.services.random);
    token.name = call.body_text("name");
    token.hash = hash_token_secret(secret);
    token.scope = parse_word<store::Scope>(call.body_text("scope")).value_or(store::Scope::Read);
    if (const Value* queues = given(call.body, "queues")) token.queues = queues->get<std::vector<std::string>>();
    if (const auto lasts = call.body_length("expires_in")) token.expires_at = call.store().now() + *lasts;
    token.who = call.caller.who();
    return token;
}

void warn_when_none_is_left(Call& call) {
    if (store::has_valid(call.store().tokens(), call.store().now())) return;
    call.services.log.write(
        {LogLevel::Warning,
         "The last valid token was revoked, and without one the server stays shut; 'holdfast tokens create "
         "NAME --scope admin', run directly on the store, makes one",
         {{"who", call.caller.who()}}});
}

}  // namespace

http::Reply list_tokens(Call& call) {
    return answer(list_of(views::array_of(call.store().tokens())));
}

http::Reply create_token(Call& call) {
    call.caller.require_all_queues();
    const std::string secret = make_token_secret();
    const store::NewToken token = read_token(call, secret);
    if (call.store().create_token(token) == store::CreateTokenStatus::NameTaken)
        throw Problem("CONFLICT",
                      concat("there is a token '", token.name, "' already; revoke it, or choose another name"));
    call.services.access.forget();
    return answer(
        views::to_json_shape(views::MadeToken{.record = *call.store().find_token(token.hash), .secret = secret}),
        201);
}

http::Reply revoke_token(Call& call) {
    call.caller.require_all_queues();
    const std::string& name = call.path("name");
    if (!call.store().revoke_token(name, call.caller.who()))
        throw Problem("NOT_FOUND", concat("there is no token '", name, "', or it was revoked before"));
    call.services.access.forget();
    warn_when_none_is_left(call);
    return answer({{"name", name}, {"status", "revoked"}});
}

}  // namespace holdfast::api
