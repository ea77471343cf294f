#include "proof/crew/processes.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "platform/process_table.h"
#include "proof/crew/patience.h"

namespace holdfast::crew {

std::vector<pid_t> processes_with(const std::string& assignment) {
    std::vector<pid_t> found;
    for (const platform::ProcessEntry& process : platform::list_processes())
        if (process.state != 'Z' && platform::environment_has(process.pid, assignment)) found.push_back(process.pid);
    return found;
}

void wait_for_end_of(pid_t pid) {
    const Deadline deadline("the end of process " + std::to_string(pid));
    const Descriptor handle(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
    pollfd ended{handle.get(), POLLIN, 0};
    while (handle && ended.revents == 0) poll(&ended, 1, deadline.milliseconds_left());
}

void wait_for_end_of_processes_with(const std::string& assignment) {
    const Deadline deadline("the end of all processes with " + assignment);
    for (auto left = processes_with(assignment); !left.empty(); left = processes_with(assignment)) {
        (void)deadline.milliseconds_left();
        wait_for_end_of(left.front());
    }
}

bool is_alive(pid_t pid) {
    const auto process = platform::find_process(pid);
    return process && process->state != 'Z';
}

std::vector<pid_t> children_of(pid_t parent) {
    std::vector<pid_t> children;
    for (const platform::ProcessEntry& process : platform::list_processes())
        if (process.parent == parent && process.state != 'Z') children.push_back(process.pid);
    return children;
}

}  // namespace holdfast::crew
