#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "engine/ports.h"
#include "server/api/access.h"
#include "server/api/store_pool.h"
#include "server/api/vital_sign.h"

namespace holdfast::api {

/// The result of one readiness check.
struct Readiness {
    std::string name = {};  ///< "store", "schema", "sweeper"
    VitalSign::Check found = {};
};

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
    Login login = Login::WhenTokensExist;
    std::vector<std::string> hosts = {};                 ///< names and addresses of the server besides loopback
    Duration live_patience = std::chrono::seconds(10);   ///< the server is not ready when its streams stall longer
    Duration statistics_kept = std::chrono::seconds(4);  ///< how long counts and statistics are cached at most
    std::function<std::vector<Readiness>()> readiness = [] { return std::vector<Readiness>(); };
    std::function<std::string()> metrics = [] { return std::string(); };  ///< in the text format of Prometheus
    /// Returns the view of this machine with which recovery checks the workers of the store.
    std::function<std::unique_ptr<engine::HostWatch>(const config::Config&)> host_watch = {};
    /// Returns the file of the page with this path ("/", "/assets/x.js"); nullopt: not found.
    std::function<std::optional<PageAsset>(const std::string& path, std::string_view accept_encoding)> page =
        [](const std::string&, std::string_view) { return std::nullopt; };
};

}  // namespace holdfast::api
