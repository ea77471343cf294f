#pragma once

#include <memory>

#include "server/http/client.h"
#include "store/client_store.h"

namespace holdfast::remote {

/// Submits, reads and steers through the API of a server, with the permissions of a token. The server records the
/// bearer of the token as the author of an order, whatever `who` a verb names.
[[nodiscard]] std::unique_ptr<store::ClientStore> connect(const http::ClientParams& server);

}  // namespace holdfast::remote
