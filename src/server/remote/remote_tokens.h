#pragma once

#include <string>

#include "server/remote/server_link.h"
#include "store/server_store.h"

namespace holdfast::remote {

/// A token that a server made, and its secret, which it tells only now.
struct MadeToken {
    store::TokenRecord record = {};
    std::string secret = {};
};

/// Of `wanted` its name, scope, queues and `lasts` (a duration; empty: until it is revoked) are sent. Throws Conflict
/// when there is one of that name.
MadeToken create_token(ServerLink& server, const store::NewToken& wanted, const std::string& lasts);

}  // namespace holdfast::remote
