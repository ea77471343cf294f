#include "server/remote/remote_tokens.h"

namespace holdfast::remote {

MadeToken create_token(ServerLink& server, const store::NewToken& wanted, const std::string& lasts) {
    Json body = {{"name", wanted.name}, {"scope", word_of(wanted.scope)}, {"queues", wanted.queues}};
    if (!lasts.empty()) body["expires_in"] = lasts;
    return views::from_json_shape<MadeToken>(server.post(path_of({"tokens"}), body));
}

}  // namespace holdfast::remote
