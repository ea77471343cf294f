#include "platform/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "platform/own_program.h"
#include "platform/sockets.h"

namespace holdfast::platform {

namespace {

/// What the child reports when it fails before the exec.
struct Complaint {
    int stage = 0;  ///< 0: working directory, 1: program
    int error = 0;
};

/// Everything that the child uses. It must not allocate after the fork: another thread may hold the allocator's lock.
struct Prepared {
    const LaunchParams& params;
    std::vector<char*> arguments;
    std::vector<char*> environment;
    pid_t parent;
    int complaints;
};

void restore_signals() {
    for (int each = 1; each < NSIG; ++each) signal(each, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
}

// When memory runs out the kernel should kill the task first: the runner can then report it.
void volunteer_for_the_oom_killer() {
    const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    [[maybe_unused]] const auto written = write(file, "800", 3);
    close(file);
}

void limit_processes(const std::optional<unsigned>& most) {
    if (!most) return;
    const rlimit limit{*most, *most};
    setrlimit(RLIMIT_NPROC, &limit);
}

[[noreturn]] void give_up(const Prepared& prepared, int stage) {
    const Complaint complaint{stage, errno};
    [[maybe_unused]] const auto written = write(prepared.complaints, &complaint, sizeof complaint);
    _exit(127);
}

[[noreturn]] void become_program(const Prepared& prepared) {
    restore_signals();
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != prepared.parent) _exit(127);
    volunteer_for_the_oom_killer();
    if (prepared.params.input >= 0) dup2(prepared.params.input, STDIN_FILENO);
    if (prepared.params.output >= 0) dup2(prepared.params.output, STDOUT_FILENO);
    if (prepared.params.errors >= 0) dup2(prepared.params.errors, STDERR_FILENO);
    if (chdir(prepared.params.directory.c_str()) != 0) give_up(prepared, 0);
    limit_processes(prepared.params.most_user_processes);
    execve(prepared.params.file.c_str(), prepared.arguments.data(), prepared.environment.data());
    give_up(prepared, 1);
}

std::string explain(const LaunchParams& params, const Complaint& complaint) {
    if (complaint.stage == 0)
        return concat("cannot enter the directory ", params.directory, ": ", strerror(complaint.error));
    return concat("cannot execute ", params.file, ": ", strerror(complaint.error));
}

}  // namespace

Result<pid_t, std::string> launch(const LaunchParams& params) {
    auto [complaints, complaining] = pipe_pair();
    const Prepared prepared{params, exec_vector(params.arguments), exec_vector(params.environment), getpid(),
                            complaining.get()};
    const pid_t pid = fork();
    if (pid < 0) return Failure{concat("cannot fork: ", strerror(errno))};
    if (pid == 0) become_program(prepared);
    complaining.close();
    Complaint complaint;
    ssize_t got = 0;
    while ((got = read(complaints.get(), &complaint, sizeof complaint)) < 0 && errno == EINTR) {
    }
    if (got == 0) return pid;  // closed by the exec
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return Failure{explain(params, complaint)};
}

}  // namespace holdfast::platform
