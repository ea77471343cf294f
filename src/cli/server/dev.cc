#include <fmt/format.h>

#include <ostream>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/server/dev_worker.h"
#include "cli/server/server_plan.h"
#include "platform/log_writer.h"
#include "platform/real_clock.h"

namespace holdfast::cli {

namespace {

/// The worker reads the same configuration and receives the same options.
std::vector<std::string> worker_words(const Session& session, const config::Config& config) {
    std::vector<std::string> words = {"worker", "--no-sweep", "--store", config.store.url};
    if (!config.worker.name) words.insert(words.end(), {"--name", "dev"});
    if (!session.globals.config.empty()) words.insert(words.end(), {"--config", session.globals.config});
    return words;
}

/// The option that repeats a store given on the command line, for the suggested commands; empty when none was given.
std::string store_option(const Session& session) {
    return session.globals.store.empty() ? "" : fmt::format(" --store '{}'", session.globals.store);
}

std::string third_thing(const config::Config& config, const std::string& option) {
    if (!config.workflows.empty()) return fmt::format("holdfast{} run {}", option, config.workflows.begin()->first);
    return fmt::format("holdfast{} submit slow --script 'sleep 60'   # then kill -9 the worker, and see it recovered",
                       option);
}

void greet(const Io& io, const Session& session, const config::Config& config, const std::string& url) {
    const std::string option = store_option(session);
    io.out << fmt::format("Holdfast is at {}\n", paint(io, Tone::Strong, url))
           << fmt::format("  store {}; catalog {}\n\n", mask_password(config.store.url),
                          config.file.empty() ? "none yet: holdfast.yaml is read as soon as it is there"
                                              : config.file + ", read again whenever it changes")
           << "Three things to try, in another terminal:\n"
           << fmt::format("  holdfast{} submit hello --script 'echo \"Hello, $NAME\"' --env NAME=Ada --wait\n",
                          option)
           << fmt::format(
                  "  curl -s {}/api/tasks -H 'content-type: application/json' "
                  "-d '{{\"script\": \"date; sleep 5; date\"}}'\n",
                  url)
           << fmt::format("  {}\n\n", third_thing(config, option)) << "Ctrl-C ends everything.\n"
           << std::flush;
}

ExitCode run_dev(Session& session, const ServerFlags& flags) {
    const auto given = overrides(flags);
    const config::Config config = session.load_config(given);
    platform::LogWriter log(session.io.err, config.log.format, config.log.level, platform::real_clock());
    DevWorker worker(worker_words(session, config), session.io, log);
    server::ServerPlan plan = server_plan(session, config, given, log);
    plan.address = "127.0.0.1";  // reachable from this machine only, independent of the server settings in the file
    plan.tls.reset();
    plan.next_free_port = flags.port.empty();
    plan.watches_catalog = true;
    plan.ready = [&](const std::string& url) { greet(session.io, session, config, url); };
    plan.turned = [&] { worker.look_after(); };
    plan.stopping = [&] { worker.stop(config.worker.stop_grace); };
    server::ServerProcess(std::move(plan), log).run();
    return ExitCode::Done;
}

}  // namespace

void add_dev(Command& program) {
    auto [command, given] = program.add(
        "dev", "Everything on this machine: server, page and one worker, until SIGTERM or SIGINT", run_dev);
    command.text("--port", given.port, "N", "The port (default: 7070, or the next that is free)");
}

}  // namespace holdfast::cli
