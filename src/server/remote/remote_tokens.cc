#include "server/remote/remote_tokens.h"

#include "views/readings.h"

namespace holdfast::remote {

MadeToken create_token(ServerLink& server, const store::NewToken& wanted, const std::string& lasts) {
    Json body = {{"name", wanted.name}, {"scope", store::to_text(wanted.scope)}, {"queues", wanted.queues}};
    if (!lasts.empty()) body["expires_in"] = lasts;
    const Json answer = server.post(path_of({"tokens"}), body);
    return {.record = views::read_token(answer), .secret = answer.at("token")};
}

}  // namespace holdfast::remote
