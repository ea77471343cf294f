#include "runner/runner_start.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <vector>

#include "base/text.h"
#include "platform/kill_tree.h"
#include "platform/own_program.h"
#include "runner/roles.h"

namespace holdfast::runner {

namespace {

void restore_signals() {
    for (int each = 1; each < NSIG; ++each) signal(each, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Moves all descriptors out of the way first, then to their numbers. All others are closed on exec.
void place_descriptors(const RunnerStart& start) {
    const int task = fcntl(start.task_socket, F_DUPFD_CLOEXEC, 16);
    const int control = fcntl(start.control_socket, F_DUPFD_CLOEXEC, 16);
    const int keeper = fcntl(start.keeper_pipe, F_DUPFD_CLOEXEC, 16);
    const int withheld = fcntl(start.withheld, F_DUPFD_CLOEXEC, 16);
    dup2(task, task_socket);
    dup2(control, control_socket);
    dup2(keeper, keeper_pipe);
    dup2(withheld, withheld_file);
    dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
    close_range(withheld_file + 1, ~0U, CLOSE_RANGE_CLOEXEC);
}

}  // namespace

RunnerPlace parse_place(int argc, char** argv) {
    const auto argument = [&](int index) { return std::string(index < argc ? argv[index] : ""); };
    return {argument(3), {argument(4), argument(5), argument(6)}};
}

void become_runner(const RunnerStart& start) {
    restore_signals();
    setsid();
    // Holds until a thread of the runner watches the keeper. If the keeper died before the call, the parent has
    // changed.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != start.keeper) _exit(abandoned_exit);
    place_descriptors(start);
    platform::enter(start.groups);
    const std::vector<std::string> arguments = {"holdfast: runner", std::string(runner_flag), concat(start.runner),
                                                start.folder,       start.groups.memory,      start.groups.pids,
                                                start.groups.killer};
    const std::vector<std::string> environment =
        platform::environment_with({concat(platform::worker_variable, "=", start.worker)});
    platform::execute_own_program(platform::own_program(), platform::exec_vector(arguments).data(),
                                  platform::exec_vector(environment).data());
    _exit(abandoned_exit);
}

}  // namespace holdfast::runner
