#include <CLI/CLI.hpp>
#include <ostream>

#include "cli/server/server_plan.h"
#include "cli/server/service_notice.h"
#include "platform/log_writer.h"
#include "platform/real_clock.h"

namespace holdfast::cli {

namespace {

ExitCode run_server(Session& session, const ServerFlags& flags) {
    const auto given = overrides(flags);
    const config::Config config = session.load_config(given);
    platform::LogWriter log(session.io.err, config.log.format, config.log.level, platform::real_clock());
    ServiceNotice notice(session.io);
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

void add_server(CLI::App& program, Action& chosen) {
    auto given = std::make_shared<ServerFlags>();
    auto* command = program.add_subcommand("server", "Serve the API and the web page, until SIGTERM or SIGINT");
    command->add_option("--address", given->address, "Where it listens (default: 127.0.0.1)")->type_name("ADDRESS");
    command->add_option("--port", given->port, "The port (default: 7070)")->type_name("N");
    command->add_option("--tls-cert", given->tls_certificate, "Its certificate, PEM; with it, only TLS is spoken")
        ->type_name("FILE");
    command->add_option("--tls-key", given->tls_key, "The key of that certificate, PEM")->type_name("FILE");
    command->add_flag("--insecure", given->insecure,
                      "Listen elsewhere than on loopback without any token: everybody may do everything");
    command->add_flag("--no-sweep", given->no_sweep, "Leave recovery to workers and other servers");
    command->callback(
        [given, &chosen] { chosen = [given](Session& session) { return run_server(session, *given); }; });
}

}  // namespace holdfast::cli
