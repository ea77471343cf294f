#include <fmt/format.h>
#include <sys/wait.h>

#include <csignal>
#include <thread>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/server/server.h"
#include "platform/log_writer.h"
#include "platform/programs.h"
#include "platform/real_clock.h"
#include "platform/service_loop.h"

namespace holdfast::cli {

namespace {

// ---- The worker -----------------------------------------------------------------------------------

constexpr Duration restart_pause = std::chrono::seconds(1);
constexpr Duration moment = std::chrono::seconds(2);
constexpr Duration kill_patience = std::chrono::seconds(5);

/// The environment without the variables that systemd sets for the server only.
std::vector<std::string> environment_of(const Io& io) {
    std::vector<std::string> assignments;
    for (const auto& [name, value] : io.environment)
        if (name != "NOTIFY_SOCKET" && name != "WATCHDOG_USEC")
            assignments.push_back(fmt::format("{}={}", name, value));
    return assignments;
}

std::string end_text(int status) {
    if (WIFSIGNALED(status)) return fmt::format("it was killed by signal {}", WTERMSIG(status));
    return fmt::format("it ended with exit code {}", WEXITSTATUS(status));
}

/// Waits for the process; returns whether it has ended within that time.
bool wait_for_end(pid_t pid, Duration at_most) {
    const Duration until = platform::machine_time() + at_most;
    while (waitpid(pid, nullptr, WNOHANG) == 0) {
        if (platform::machine_time() >= until) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return true;
}

/// The worker of `holdfast dev`: runs `holdfast worker` of this program as a child process, and restarts it whenever
/// it ends. The child ends together with this object or its process. For one thread.
class DevWorker {
public:
    /// `words` follow the program's name. `io` and `log` must outlive this object.
    DevWorker(std::vector<std::string> words, const Io& io, Log& log)
        : words_(std::move(words)), io_(io), log_(log) {}
    ~DevWorker() { stop(Duration::zero()); }
    DevWorker(const DevWorker&) = delete;
    DevWorker& operator=(const DevWorker&) = delete;

    /// Starts the worker, or restarts it a second after it ended. The caller calls this frequently.
    void look_after() {
        int status = 0;
        if (pid_ && waitpid(*pid_, &status, WNOHANG) == *pid_) note_end(status);
        if (!pid_ && platform::machine_time() >= start_at_) start();
    }

    /// Asks the worker to leave. When that takes longer than a moment, makes it stop its running tasks; when that
    /// takes longer than `stop_grace`, kills it. Waits for its end.
    void stop(Duration stop_grace) {
        if (!pid_) return;
        kill(*pid_, SIGTERM);
        bool has_ended = wait_for_end(*pid_, moment);
        if (!has_ended) {
            kill(*pid_, SIGTERM);  // the second signal makes it stop its running tasks
            has_ended = wait_for_end(*pid_, stop_grace + moment);
        }
        if (!has_ended) {
            kill(*pid_, SIGKILL);  // its keeper kills the remaining processes
            (void)wait_for_end(*pid_, kill_patience);
        }
        pid_.reset();
    }

private:
    void start() {
        std::vector<std::string> arguments = {"holdfast"};
        arguments.insert(arguments.end(), words_.begin(), words_.end());
        const auto started = platform::launch({.file = "/proc/self/exe",
                                               .arguments = std::move(arguments),
                                               .environment = environment_of(io_),
                                               .directory = ".",
                                               .most_user_processes = std::nullopt});
        start_at_ = platform::machine_time() + restart_pause;
        if (started.ok())
            pid_ = started.value();
        else
            log_.write({LogLevel::Error, fmt::format("The worker cannot be started: {}", started.error()), {}});
    }

    void note_end(int status) {
        log_.write({LogLevel::Warning,
                    fmt::format("The worker is gone ({}); another one is started", end_text(status)),
                    {{"pid", std::to_string(*pid_)}}});
        pid_.reset();
        start_at_ = platform::machine_time() + restart_pause;
    }

    const std::vector<std::string> words_;
    const Io& io_;
    Log& log_;
    std::optional<pid_t> pid_;
    Duration start_at_{};
};

// ---- The command ----------------------------------------------------------------------------------

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
