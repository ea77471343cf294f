#include "cli/server/server.h"

#include "cli/commands.h"
#include "cli/server/put_catalog.h"
#include "platform/log_writer.h"
#include "platform/real_clock.h"
#include "platform/sd_notify.h"
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

ExitCode run_server(Session& session, const ServerFlags& flags) {
    const auto given = overrides(flags);
    const config::Config config = session.load_config(given);
    platform::LogWriter log(session.io.err, config.log.format, config.log.level, platform::real_clock());
    platform::SdNotify notice(session.io.environment);
    server::ServerPlan plan = server_plan(session, config, given, log);
    if (flags.no_sweep) plan.sweep.reset();
    plan.ready = [&](const std::string& url) {
        session.io.out << "holdfast listens on " << url << std::endl;
        notice.ready("listens on " + url);
    };
    plan.stopping = [&] { notice.stopping("lets requests end"); };
    plan.turned = [&] { notice.turned(); };
    server::ServerProcess(std::move(plan), log).run();
    return ExitCode::Done;
}

}  // namespace

std::vector<config::FlagOverride> overrides(const ServerFlags& flags) {
    return given_only({{"--address", "server.address", flags.address},
                       {"--port", "server.port", flags.port},
                       {"--tls-cert", "server.tls_certificate", flags.tls_certificate},
                       {"--tls-key", "server.tls_key", flags.tls_key},
                       {"--insecure", "server.insecure", flags.insecure ? "true" : ""}});
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
    plan.sweep = views::sweep_settings(config);
    plan.config = config;
    plan.load_config = [&session, flags] { return session.try_config(flags); };
    plan.prepare = [&session, &log](store::Store& store, const config::Config& current) {
        put_catalog(current, store, session.who(), log);
    };
    return plan;
}

void add_server(Command& program) {
    auto [command, given] =
        program.add("server", "Serve the API and the web page, until SIGTERM or SIGINT", run_server);
    command.text("--address", given.address, "ADDRESS", "Where it listens (default: 127.0.0.1)");
    command.text("--port", given.port, "N", "The port (default: 7070)");
    command.text("--tls-cert", given.tls_certificate, "FILE", "Its certificate, PEM; with it, only TLS is spoken");
    command.text("--tls-key", given.tls_key, "FILE", "The key of that certificate, PEM");
    command.flag("--insecure", given.insecure,
                 "Listen on other interfaces without a token: every caller has full access");
    command.flag("--no-sweep", given.no_sweep, "Leave recovery to workers and other servers");
    command.examples({"holdfast server --store sqlite:/var/lib/holdfast/holdfast.db",
                      "holdfast server --address 0.0.0.0 --tls-cert cert.pem --tls-key key.pem"});
}

}  // namespace holdfast::cli
