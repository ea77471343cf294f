#pragma once

#include <string>

#include "server/remote/server_link.h"
#include "views/token.h"

namespace holdfast::remote {

using views::MadeToken;

/// Of `wanted` its name, scope, queues and `lasts` (a duration; empty: until it is revoked) are sent. Throws Conflict
/// when there is one of that name.
MadeToken create_token(ServerLink& server, const store::NewToken& wanted, const std::string& lasts);

}  // namespace holdfast::remote
