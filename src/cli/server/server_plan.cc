#include "cli/server/server_plan.h"

#include "cli/server/put_catalog.h"
#include "server/process/container_settings.h"
#include "views/recovery.h"

namespace holdfast::cli {

namespace {

http::Limits limits_of(const config::ServerConfig& config) {
    http::Limits limits;
    limits.max_body_bytes = static_cast<std::size_t>(config.max_body_size);
    limits.max_connections = static_cast<std::size_t>(config.max_connections);
    limits.max_connections_per_peer = static_cast<std::size_t>(config.max_connections_per_client);
    limits.requests_per_second_per_peer = config.requests_per_second;
    limits.burst_per_peer = config.request_burst;
    limits.header_timeout = config.header_timeout;
    limits.body_timeout = config.body_timeout;
    limits.idle_timeout = config.idle_timeout;
    limits.write_timeout = config.write_timeout;
    limits.workers = static_cast<std::size_t>(config.threads);
    limits.max_waiting = static_cast<std::size_t>(config.max_waiting_requests);
    return limits;
}

}  // namespace

std::vector<config::FlagOverride> overrides(const ServerFlags& flags) {
    std::vector<config::FlagOverride> given;
    const auto add = [&](const char* flag, const char* key, const std::string& value) {
        if (!value.empty()) given.push_back({flag, key, value});
    };
    add("--address", "server.address", flags.address);
    add("--port", "server.port", flags.port);
    add("--tls-cert", "server.tls_certificate", flags.tls_certificate);
    add("--tls-key", "server.tls_key", flags.tls_key);
    add("--insecure", "server.insecure", flags.insecure ? "true" : "");
    return given;
}

server::ServerPlan server_plan(const Session& session, const config::Config& config,
                               const std::vector<config::FlagOverride>& flags, Log& log) {
    server::ServerPlan plan;
    plan.store = connect_params(config, Access::CreateAndMigrate);
    plan.address = config.server.address;
    plan.port = static_cast<std::uint16_t>(config.server.port);
    if (config.server.tls_certificate)
        plan.tls =
            http::TlsFiles{.certificate = *config.server.tls_certificate, .key = config.server.tls_key.value_or("")};
    plan.limits = limits_of(config.server);
    plan.insecure = config.server.insecure;
    plan.shutdown_grace = config.server.shutdown_grace;
    plan.sweep = views::sweep_settings(config);
    plan.liveness_interval = config.recovery.liveness_interval;
    plan.containers = server::container_tool(config.worker);
    plan.config = config;
    plan.load_config = [&session, flags] { return session.try_config(flags); };
    plan.logs_requests = config.log.level == LogLevel::Debug;
    plan.prepare = [&session, &log](store::Store& store, const config::Config& current) {
        put_catalog(current, store, session.who(), log);
    };
    return plan;
}

}  // namespace holdfast::cli
