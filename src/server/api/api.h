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
#include "engine/ports.h"
#include "server/api/access.h"
#include "server/api/route.h"
#include "server/api/vital_sign.h"

namespace holdfast::api {

class Services;

/// The result of one readiness check.
struct Readiness {
    std::string name = {};  ///< "store", "schema", "sweeper"
    VitalSign::Check found = {};
};

/// Answers the requests to a server that has not reached its store yet: probes, and STORE_UNAVAILABLE to all others.
[[nodiscard]] http::Response answer_before_start(const http::Request& request, const std::vector<Readiness>& checks);

/// A file of the page, embedded in the program.
struct PageAsset {
    std::string_view bytes = {};  ///< outlives the server
    std::string content_type = {};
    std::string encoding = {};  ///< "gzip", "br"; empty: not compressed
    bool immutable = false;     ///< its name changes with its content
};

struct ApiParts {
    OpenStore open_store = {};
    std::size_t connections = 4;  ///< one for each thread that handles requests
    /// Returns the current configuration; a new one after a reload.
    std::function<std::shared_ptr<const config::Config>()> config = {};
    std::string version = {};
    std::size_t max_body_bytes = 8 << 20;  ///< of a request, as the HTTP server limits it
    Login login = Login::WhenTokensExist;
    std::vector<std::string> hosts = {};                 ///< names and addresses of the server besides loopback
    Duration live_patience = std::chrono::seconds(10);   ///< the server is not ready when its streams stall longer
    Duration statistics_kept = std::chrono::seconds(4);  ///< how long counts and statistics are cached at most
    std::function<std::vector<Readiness>()> readiness = [] { return std::vector<Readiness>(); };
    /// Whether the store is known not to answer. From any thread; returns at once.
    std::function<bool()> store_is_out = [] { return false; };
    /// A keeper has testified to the death of its worker. From any thread; returns at once.
    std::function<void()> worker_has_died = [] {};
    std::function<std::string()> metrics = [] { return std::string(); };  ///< in the text format of Prometheus
    /// Returns the view of this machine with which recovery checks the workers of the store.
    std::function<std::unique_ptr<engine::HostWatch>(const config::Config&)> host_watch = {};
    /// Returns the file of the page with this path ("/", "/assets/x.js"); nullopt: not found.
    std::function<std::optional<PageAsset>(const std::string& path, std::string_view accept_encoding)> page =
        [](const std::string&, std::string_view) { return std::nullopt; };
};

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
