#pragma once

#include <memory>
#include <string>

#include "base/log.h"
#include "base/random.h"
#include "server/api/parts.h"
#include "server/api/route.h"
#include "server/http/message.h"

namespace holdfast::api {

class Services;

/// The HTTP API of docs/api.md over a store: it turns requests into answers. Any number of threads may call handle().
/// The owner stops serving before it destroys the Api; streams and deferred answers end with it.
class Api {
public:
    /// `random` and `log` outlive the Api and are thread-safe.
    Api(ApiParts parts, Random& random, Log& log);
    ~Api();
    Api(const Api&) = delete;
    Api& operator=(const Api&) = delete;

    /// Answers every request; never throws. `caller` receives the name of the client, as far as it is known.
    [[nodiscard]] http::Reply handle(const http::Request& request, std::string& caller);
    /// The same, for a server that does not log the names of clients.
    [[nodiscard]] http::Reply handle(const http::Request& request) {
        std::string caller;
        return handle(request, caller);
    }

    /// Reads the tokens that probes are answered from. The server calls it every few seconds, with its own store.
    void look(store::Store& store);

    /// Ends every open stream with `bye` and answers every waiting client; handle() still works. For a graceful stop.
    void end_streams(const std::string& why);

private:
    [[nodiscard]] http::Reply answer_or_throw(const http::Request& request, std::string& caller);
    [[nodiscard]] http::Reply page_or_throw(const http::Request& request) const;

    std::unique_ptr<Services> services_;
};

}  // namespace holdfast::api
