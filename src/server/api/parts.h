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
    /// How this machine is looked at for the store's workers.
    std::function<std::unique_ptr<engine::HostWatch>(const config::Config&)> host_watch = {};
    /// A file of the page by its path ("/", "/assets/x.js"); nullopt: none.
    std::function<std::optional<PageAsset>(const std::string& path, std::string_view accept_encoding)> page =
        [](const std::string&, std::string_view) { return std::nullopt; };
};

}  // namespace holdfast::api
