#include <ostream>

#include "cli/commands.h"
#include "cli/server/server_plan.h"
#include "platform/log_writer.h"
#include "platform/real_clock.h"
#include "platform/sd_notify.h"

namespace holdfast::cli {

namespace {

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
}

}  // namespace holdfast::cli
