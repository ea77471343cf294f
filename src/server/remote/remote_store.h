#pragma once

#include <memory>

#include "server/http/client.h"
#include "store/store.h"

namespace holdfast::remote {

/// A store behind a server: the verbs by which people submit, look and steer, asked through its API. Who does
/// something is the bearer of the token, whatever a verb says. The verbs of workers and sweepers throw Unusable:
/// those need the store itself.
[[nodiscard]] std::unique_ptr<store::Store> connect(const http::ClientParams& server);

}  // namespace holdfast::remote
