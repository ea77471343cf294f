#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/log.h"
#include "client/connect.h"
#include "config/config.h"
#include "engine/recovery/sweeper.h"
#include "platform/service_loop.h"
#include "platform/signals.h"
#include "platform/system_random.h"
#include "server/api/api.h"
#include "server/api/vital_sign.h"
#include "server/http/server.h"
#include "server/process/catalog_file.h"
#include "server/process/metrics.h"
#include "server/process/outage_log.h"
#include "server/process/own_metrics.h"
#include "server/process/replica_keeper.h"
#include "worker/sweep_thread.h"

namespace holdfast::server {

/// The complete configuration of a server process.
struct ServerPlan {
    client::ConnectParams store;
    std::string address = "127.0.0.1";
    std::uint16_t port = 7070;
    bool next_free_port = false;  ///< when the port is taken, use the next free one
    std::optional<http::TlsFiles> tls = {};
    http::Limits limits = {};
    std::optional<engine::SweepSettings> sweep = {};  ///< recovery settings; unset: recovery is off

    config::Config config;          ///< the source of the settings that have no member here
    CatalogFile::Load load_config;  ///< loads `config` again from the current files
    bool watches_catalog = false;   ///< reloads when a file changes; otherwise only on SIGHUP
    /// Called once before the server serves, and again whenever the catalog was reloaded.
    std::function<void(store::Store&, const config::Config&)> prepare = [](store::Store&, const config::Config&) {};

    std::function<void(const std::string& url)> ready = [](const std::string&) {};
    std::function<void()> stopping = [] {};
    std::function<void()> turned = [] {};  ///< called in every turn of its loop, at least twice a second
};

/// The server process from start to exit: binds its port, answers only probes until the store is reachable, then
/// serves until SIGTERM or SIGINT, and shuts down in order. On SIGHUP it reloads certificate and catalog.
class ServerProcess {
public:
    /// Blocks these signals; create it while the process still has a single thread. `log` must outlive this object.
    ServerProcess(ServerPlan plan, Log& log);
    ServerProcess(const ServerProcess&) = delete;
    ServerProcess& operator=(const ServerProcess&) = delete;

    /// Runs the server and returns when it has stopped. Throws BadInput when listening on its address fails or is
    /// forbidden, or when the store's URL is invalid; Unusable when the store is reachable but unusable.
    void run();

private:
    void handle_signal(const std::string& name);
    [[nodiscard]] bool prepare_patiently();
    void require_keys(store::ClientStore& store) const;
    void serve(std::unique_ptr<http::Server> bound);
    void reload();
    void turn_until_stopped();
    void put_catalog();

    [[nodiscard]] std::unique_ptr<api::Api> make_api(Metrics& metrics);
    [[nodiscard]] std::unique_ptr<http::Server> bind();
    [[nodiscard]] std::unique_ptr<Metrics> make_metrics();
    [[nodiscard]] std::unique_ptr<ReplicaKeeper> keep_replica(const std::string& url, api::Api& api);
    [[nodiscard]] std::unique_ptr<worker::SweepThread> start_sweeping();
    void expose(worker::SweepThread* sweeping);
    void sweep_now();
    [[nodiscard]] std::unique_ptr<store::Store> open_store();
    [[nodiscard]] std::vector<api::Readiness> readiness() const;
    [[nodiscard]] http::Reply handle(http::Request& request);
    void answered(const http::Request& request, int status, Duration took);

    ServerPlan plan_;
    Log& log_;
    platform::SystemRandom random_;
    const Uuid id_;
    platform::ServiceLoop loop_;
    platform::SignalWatch signals_;
    std::optional<std::string> stop_reason_;
    OwnMetrics own_metrics_;
    api::VitalSign store_sign_{store_patience};
    OutageLog outage_log_;
    api::VitalSign schema_sign_{schema_patience};
    api::VitalSign sweep_sign_;
    std::atomic<bool> is_sweeping_ = false;
    std::optional<CatalogFile> catalog_;
    std::optional<Duration> put_catalog_at_;  // nullopt: its schedules are in the store
    std::mutex sweeping_mutex_;
    worker::SweepThread* sweeping_ = nullptr;    // guarded by sweeping_mutex_: null while it does not sweep
    std::atomic<api::Api*> api_ = nullptr;       // null until the store was reached
    std::atomic<http::Server*> http_ = nullptr;  // null except while it serves
};

}  // namespace holdfast::server
