#include "cli/server/dev_worker.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <csignal>
#include <thread>

#include "platform/launch.h"
#include "platform/service_loop.h"

namespace holdfast::cli {

namespace {

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

}  // namespace

DevWorker::DevWorker(std::vector<std::string> words, const Io& io, Log& log)
    : words_(std::move(words)), io_(io), log_(log) {}

DevWorker::~DevWorker() {
    stop(Duration::zero());
}

void DevWorker::look_after() {
    int status = 0;
    if (pid_ && waitpid(*pid_, &status, WNOHANG) == *pid_) note_end(status);
    if (!pid_ && platform::machine_time() >= start_at_) start();
}

void DevWorker::start() {
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

void DevWorker::note_end(int status) {
    log_.write({LogLevel::Warning,
                fmt::format("The worker is gone ({}); another one is started", end_text(status)),
                {{"pid", std::to_string(*pid_)}}});
    pid_.reset();
    start_at_ = platform::machine_time() + restart_pause;
}

void DevWorker::stop(Duration stop_grace) {
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

}  // namespace holdfast::cli
