#include "runner/runner_start.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <vector>

#include "base/text.h"
#include "platform/process_table.h"
#include "platform/programs.h"
#include "platform/signals.h"
#include "runner/roles.h"

namespace holdfast::runner {

RunnerPlace parse_place(int argc, char** argv) {
    const auto argument = [&](int index) { return std::string(index < argc ? argv[index] : ""); };
    return {argument(3), {argument(4), argument(5), argument(6)}};
}

void become_runner(const RunnerStart& start) {
    platform::restore_signals();
    setsid();
    // Holds until a thread of the runner watches the keeper. If the keeper died before the call, the parent has
    // changed.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != start.keeper) _exit(abandoned_exit);
    dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
    platform::enter(start.groups);
    const std::vector<std::string> arguments = {"holdfast: runner", std::string(runner_flag), concat(start.runner),
                                                start.folder,       start.groups.memory,      start.groups.pids,
                                                start.groups.killer};
    const std::vector<std::string> environment =
        platform::environment_with({concat(platform::worker_variable, "=", start.worker)});
    platform::execute_own_program(platform::own_program(),
                                  {start.task_socket, start.control_socket, start.keeper_pipe, start.withheld},
                                  platform::exec_vector(arguments).data(), platform::exec_vector(environment).data());
    _exit(abandoned_exit);
}

}  // namespace holdfast::runner
