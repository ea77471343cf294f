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

/// The HTTP API of docs/api.md over a store: requests in, answers out. handle() may be called from any number of
/// threads. Whoever serves it stops serving before it is destroyed; streams and deferred answers end with it.
class Api {
public:
    /// `random` and `log` outlive it, and are safe from any thread.
    Api(ApiParts parts, Random& random, Log& log);
    ~Api();
    Api(const Api&) = delete;
    Api& operator=(const Api&) = delete;

    /// Answers every request; throws nothing. `caller`: becomes the name of whoever asked, as far as that is known.
    [[nodiscard]] http::Reply handle(const http::Request& request, std::string& caller);
    /// The same, for whoever keeps no log of callers.
    [[nodiscard]] http::Reply handle(const http::Request& request) {
        std::string caller;
        return handle(request, caller);
    }

    /// Reads what probes are answered by; to be called every few seconds, with a store of the caller's own.
    void look(store::Store& store);

    /// Ends every open stream with `bye` and answers those who wait; handle() still works. For a graceful stop.
    void end_streams(const std::string& why);

private:
    [[nodiscard]] http::Reply answer_or_throw(const http::Request& request, std::string& caller);
    [[nodiscard]] http::Reply page_or_throw(const http::Request& request) const;

    std::unique_ptr<Services> services_;
};

}  // namespace holdfast::api
