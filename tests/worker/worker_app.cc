#include "tests/worker/worker_app.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "base/text.h"
#include "platform/own_program.h"
#include "platform/sockets.h"
#include "tests/worker/patience.h"
#include "tests/worker/processes.h"

namespace holdfast::worker_test {

namespace {

/// Nobody else's, also when several tests run at once.
uid_t spare_user() {
    return 100'000 + static_cast<uid_t>(getppid());
}

/// All that the child uses: nothing is allocated after the fork.
struct Prepared {
    std::vector<char*> words;
    std::vector<char*> environment;
    int output;
    int log;
    const std::optional<unsigned>& most_processes;
    pid_t test;
};

/// The limit does not bind root, and counts all processes of its user.
void become_limited_user(unsigned most_processes) {
    const rlimit limit{most_processes, most_processes};
    setrlimit(RLIMIT_NPROC, &limit);
    if (geteuid() == 0 && (setgroups(0, nullptr) != 0 || setgid(spare_user()) != 0 || setuid(spare_user()) != 0))
        _exit(126);
}

[[noreturn]] void become_app(const Prepared& prepared) {
    dup2(prepared.output, STDOUT_FILENO);
    dup2(prepared.log, STDERR_FILENO);
    if (prepared.most_processes) become_limited_user(*prepared.most_processes);
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // after setuid, which clears it
    if (getppid() != prepared.test) _exit(126);
    execve(HOLDFAST_WORKER_APP, prepared.words.data(), prepared.environment.data());
    _exit(127);
}

std::vector<std::string> words_for(const WorkerAppParams& params) {
    std::vector<std::string> words = {"worker_app", "name=" + params.name};
    for (const auto& [key, value] : params.settings) words.push_back(concat(key, "=", value));
    return words;
}

std::vector<std::string> environment_for(const WorkerAppParams& params) {
    std::vector<std::string> assignments;
    for (const auto& [key, value] : params.environment) assignments.push_back(concat(key, "=", value));
    return platform::environment_with(assignments);
}

int exit_code(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace

WorkerApp::WorkerApp(const WorkerAppParams& params)
    : name_(params.name), log_path_(params.folder + "/" + params.name + ".log") {
    auto [read_end, write_end] = platform::pipe_pair();
    const Descriptor log(open(log_path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    const std::vector<std::string> words = words_for(params);
    const std::vector<std::string> environment = environment_for(params);
    const Prepared prepared{platform::exec_vector(words),
                            platform::exec_vector(environment),
                            write_end.get(),
                            log.get(),
                            params.most_processes,
                            getpid()};
    pid_ = fork();
    if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (pid_ == 0) become_app(prepared);
    output_ = std::move(read_end);
}

WorkerApp::~WorkerApp() {
    if (!has_ended_) kill();
}

void WorkerApp::wait_until_ready() {
    const Deadline deadline("worker " + name_ + " to be ready");
    for (std::string said; said != "ready\n";) {
        pollfd readable{output_.get(), POLLIN, 0};
        poll(&readable, 1, deadline.milliseconds_left());
        char next = 0;
        if (readable.revents == 0) continue;
        if (read(output_.get(), &next, 1) != 1) throw std::runtime_error("worker " + name_ + " ended early");
        said += next;
    }
}

void WorkerApp::send(int signal) const {
    if (!has_ended_) ::kill(pid_, signal);
}

int WorkerApp::wait() {
    wait_for_end_of(pid_);
    int status = 0;
    waitpid(pid_, &status, 0);
    has_ended_ = true;
    return exit_code(status);
}

void WorkerApp::stop() const {
    send(SIGSTOP);
    siginfo_t ignored{};
    waitid(P_PID, static_cast<id_t>(pid_), &ignored, WSTOPPED);
}

void WorkerApp::go_on() const {
    send(SIGCONT);
    siginfo_t ignored{};
    waitid(P_PID, static_cast<id_t>(pid_), &ignored, WCONTINUED);
}

std::string WorkerApp::log() const {
    std::ostringstream text;
    text << std::ifstream(log_path_).rdbuf();
    return text.str();
}

void WorkerApp::wait_for_log(const std::string& text) const {
    wait_until([&] { return log().find(text) != std::string::npos; }, name_ + " to log: " + text);
}

}  // namespace holdfast::worker_test
