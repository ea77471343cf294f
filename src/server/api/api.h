#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/random.h"
#include "config/config.h"
#include "server/api/access.h"
#include "server/api/route.h"
#include "server/api/store_pool.h"
#include "server/api/vital_sign.h"
#include "server/http/message.h"

namespace holdfast::api {

/// What one check of readiness found.
struct Readiness {
    std::string name = {};  ///< "store", "schema", "sweeper"
    VitalSign::Check found = {};
};

/// A file of the page, embedded into the program.
struct PageAsset {
    std::string_view bytes = {};  ///< outlives the server
    std::string content_type = {};
    std::string encoding = {};  ///< "gzip", "br"; empty: none
    bool immutable = false;     ///< its name changes with its content
};

struct ApiParts {
    OpenStore open_store = {};
    std::size_t connections = 4;  ///< as many as there are threads that handle requests
    /// The current configuration; another one after it was read again.
    std::function<std::shared_ptr<const config::Config>()> config = {};
    std::string version = {};
    Login login = Login::WhenTokensExist;
    std::vector<std::string> hosts = {};  ///< names and addresses of the server beside those of loopback
    Duration live_patience =
        std::chrono::seconds(10);  ///< the server is not ready when its streams stand still longer
    Duration statistics_kept = std::chrono::seconds(4);  ///< at most: counts and statistics are told again that long
    std::function<std::vector<Readiness>()> readiness = [] { return std::vector<Readiness>(); };
    std::function<std::string()> metrics = [] { return std::string(); };  ///< in Prometheus's text format
    /// A file of the page by its path ("/", "/assets/x.js"); nullopt: none.
    std::function<std::optional<PageAsset>(const std::string& path, std::string_view accept_encoding)> page =
        [](const std::string&, std::string_view) { return std::nullopt; };
};

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
