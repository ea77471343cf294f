#include "proof/demo/crew.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "base/descriptor.h"
#include "base/throw_errno.h"
#include "platform/kill_tree.h"
#include "platform/own_program.h"
#include "store/sqlite/lock_holders.h"

namespace holdfast::proof {

namespace {

/// All that the child uses: nothing is allocated after the fork.
struct Prepared {
    std::vector<char*> arguments;
    std::vector<char*> environment;
    int program;
    int null;
    int log;
    pid_t parent;
};

[[noreturn]] void become_worker(const Prepared& prepared) {
    for (int each = 1; each < NSIG; ++each) signal(each, SIG_DFL);
    setsid();  // Ctrl-C on the terminal is for the demo alone
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != prepared.parent) _exit(127);
    dup2(prepared.null, STDIN_FILENO);
    dup2(prepared.null, STDOUT_FILENO);
    dup2(prepared.log, STDERR_FILENO);
    platform::execute_own_program(prepared.program, prepared.arguments.data(), prepared.environment.data());
    _exit(127);
}

/// What the user has set for workers of their own is not for these. A killed worker leaves temporary files behind:
/// they are to go with the demo's folder.
std::vector<std::string> worker_environment(const DemoPlace& place, const Io& io) {
    std::vector<std::string> assignments = {"TMPDIR=" + place.folder};
    for (const auto& [name, value] : io.environment)
        if (!name.starts_with("HOLDFAST_") && name != "NOTIFY_SOCKET" && name != "WATCHDOG_USEC" && name != "TMPDIR")
            assignments.push_back(fmt::format("{}={}", name, value));
    return assignments;
}

pid_t start_worker(const std::string& name, const DemoPlace& place, const Io& io) {
    const std::vector<std::string> words = {"holdfast", "worker", "--name", name, "--config", place.config()};
    const std::vector<std::string> environment = worker_environment(place, io);
    const Descriptor null(open("/dev/null", O_RDWR | O_CLOEXEC));
    const Descriptor log(
        open((place.folder + "/" + name + ".log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    const Prepared prepared{platform::exec_vector(words),
                            platform::exec_vector(environment),
                            platform::own_program(),
                            null.get(),
                            log.get(),
                            getpid()};
    const pid_t pid = fork();
    if (pid < 0) throw_errno("fork");
    if (pid == 0) become_worker(prepared);
    return pid;
}

void await_stop(const DemoWorker& worker) {
    siginfo_t found{};
    waitid(P_PID, static_cast<id_t>(worker.pid), &found, WSTOPPED | WEXITED | WNOWAIT);
    if (found.si_code != CLD_STOPPED) throw DemoFailed(fmt::format("{} ended before it was frozen", worker.name));
}

}  // namespace

std::string demo_config(const DemoPlace& place) {
    return fmt::format(
        "# Shorter than the defaults, so that the demo does not take minutes: heartbeat_interval, "
        "worker_stale_threshold_ms, liveness_interval_ms.\n"
        "store: {}\n"
        "worker: {{max_concurrent_tasks: {}, heartbeat_interval: 500ms, container_command: ['false']}}\n"
        "recovery: {{worker_stale_threshold_ms: 5000, liveness_interval_ms: 500}}\n",
        place.store_url(), demo_slots);
}

std::vector<std::string> shortened_settings() {
    return {"worker.heartbeat_interval 500ms (default 3s)", "recovery.worker_stale_threshold_ms 5000 (default 15000)",
            "recovery.liveness_interval_ms 500 (default 1000)"};
}

DemoCrew::DemoCrew(const DemoPlace& place, const Io& io) : place_(place) {
    // What a killed worker leaves becomes a child of this process, which can then be sure to end it.
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (const char* name : {"alpha", "bravo", "charlie"})
        workers_.push_back({.name = name, .pid = start_worker(name, place, io), .life = DemoWorker::Life::Up});
}

DemoCrew::~DemoCrew() {
    platform::kill_all_descendants();
}

void DemoCrew::kill(DemoWorker& worker) {
    ::kill(worker.pid, SIGKILL);
    worker.life = DemoWorker::Life::Killed;
}

bool DemoCrew::is_in_the_way(pid_t pid) const {
    for (const char* suffix : {"-gate", "-turn", "-shm"})  // the writers' turnstile, and the lock of the WAL
        if (sqlite::has_locked(pid, place_.database() + suffix)) return true;
    return false;
}

void DemoCrew::freeze(DemoWorker& worker) const {
    while (true) {
        ::kill(worker.pid, SIGSTOP);
        await_stop(worker);
        if (!is_in_the_way(worker.pid)) break;
        ::kill(worker.pid, SIGCONT);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    worker.life = DemoWorker::Life::Frozen;
}

void DemoCrew::resume(DemoWorker& worker) {
    ::kill(worker.pid, SIGCONT);
    worker.life = DemoWorker::Life::Up;
}

void DemoCrew::ask_to_leave(const DemoWorker& worker) {
    if (worker.life == DemoWorker::Life::Up) ::kill(worker.pid, SIGTERM);
}

void DemoCrew::reap(bool may_leave) {
    int status = 0;
    for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG)) > 0;) note_end(pid, status, may_leave);
}

void DemoCrew::note_end(pid_t pid, int status, bool may_leave) {
    for (DemoWorker& worker : workers_) {
        if (worker.pid != pid || worker.life == DemoWorker::Life::Killed) continue;
        worker.life = DemoWorker::Life::Left;
        if (!may_leave || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
            throw DemoFailed(
                fmt::format("worker {} ended by itself; see {}/{}.log", worker.name, place_.folder, worker.name));
    }
}

}  // namespace holdfast::proof
