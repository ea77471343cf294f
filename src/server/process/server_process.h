#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/log.h"
#include "client/connect.h"
#include "config/config.h"
#include "engine/recovery/sweeper.h"
#include "platform/service_loop.h"
#include "platform/signal_watch.h"
#include "platform/system_random.h"
#include "runner/container_tool.h"
#include "server/api/api.h"
#include "server/api/vital_sign.h"
#include "server/http/server.h"
#include "server/process/catalog_file.h"
#include "server/process/metrics.h"
#include "server/process/own_metrics.h"
#include "server/process/replica_keeper.h"
#include "worker/sweep_thread.h"

namespace holdfast::server {

/// Everything that a server is made of.
struct ServerPlan {
    client::ConnectParams store;
    std::string address = "127.0.0.1";
    std::uint16_t port = 7070;
    bool next_free_port = false;  ///< when the port is taken: the next one that is not
    std::optional<http::TlsFiles> tls = {};
    http::Limits limits = {};
    bool insecure = false;  ///< listens wherever it is told to, and asks nobody for a token
    Duration shutdown_grace = std::chrono::seconds(10);

    std::optional<engine::SweepSettings> sweep = {};  ///< it also does recovery; unset: it does not
    Duration liveness_interval = std::chrono::seconds(1);
    runner::ContainerTool containers = {};

    config::Config config;
    CatalogFile::Load load_config;  ///< the same again, as the files are by then
    bool logs_requests = false;     ///< a line for each, at level debug
    bool watches_catalog = false;   ///< reads it again whenever a file changes; else only on SIGHUP
    /// Once, before it serves, and whenever the catalog was read again.
    std::function<void(store::Store&, const config::Config&)> prepare = [](store::Store&, const config::Config&) {};

    std::function<void(const std::string& url)> ready = [](const std::string&) {};
    std::function<void()> stopping = [] {};
    std::function<void()> turned = [] {};  ///< called in every turn of its loop, at least twice a second
};

/// A server from its first breath to its last: takes its port, connects, for as long as that takes, serves until
/// SIGTERM or SIGINT, and leaves in order. SIGHUP has it read certificate and catalog again.
class ServerProcess {
public:
    /// These signals are blocked from now on; the process must not have a second thread yet. `log` outlives it.
    ServerProcess(ServerPlan plan, Log& log);
    ServerProcess(const ServerProcess&) = delete;
    ServerProcess& operator=(const ServerProcess&) = delete;

    /// Returns when the server has left. Throws BadInput when it must not or cannot listen where it is told to, or
    /// for the store's URL; Unusable when the store is there but cannot be used.
    void run();

private:
    void handle_signal(const std::string& name);
    [[nodiscard]] bool prepare_patiently();
    void require_keys(store::ClientStore& store) const;
    void serve(std::unique_ptr<http::Server> bound);
    void reload();
    void turn_until_stopped();
    void put_catalog(const config::Config& config);

    [[nodiscard]] std::unique_ptr<api::Api> make_api(Metrics& metrics);
    [[nodiscard]] std::unique_ptr<http::Server> bind();
    [[nodiscard]] http::ServerParams http_params();
    [[nodiscard]] std::unique_ptr<Metrics> make_metrics();
    [[nodiscard]] std::unique_ptr<ReplicaKeeper> keep_replica(const std::string& url, api::Api& api);
    [[nodiscard]] std::unique_ptr<worker::SweepThread> start_sweeping();
    [[nodiscard]] std::unique_ptr<store::Store> open_store();
    [[nodiscard]] std::vector<api::Readiness> readiness() const;
    void answered(const http::Request& request, int status, Duration took);

    ServerPlan plan_;
    Log& log_;
    platform::SystemRandom random_;
    const Uuid id_;
    platform::ServiceLoop loop_;
    platform::SignalWatch signals_;
    std::optional<std::string> stop_reason_;
    OwnMetrics own_metrics_;
    api::VitalSign store_sign_{store_patience, store_is_slow_after};
    api::VitalSign schema_sign_{schema_patience};
    api::VitalSign sweep_sign_;
    std::atomic<bool> is_sweeping_ = false;
    std::optional<CatalogFile> catalog_;
    api::Api* api_ = nullptr;                    // while it serves; set before the server listens
    std::atomic<http::Server*> http_ = nullptr;  // while it serves
};

}  // namespace holdfast::server
