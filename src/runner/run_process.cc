#include "runner/run_process.h"

#include <errno.h>
#include <sys/wait.h>

namespace holdfast::runner {

int wait_for_process(pid_t child) {
    int status = 0;
    for (pid_t pid = 0; pid != child;)
        if ((pid = waitpid(-1, &status, __WALL)) < 0 && errno != EINTR) return W_EXITCODE(255, 0);
    return status;
}

}  // namespace holdfast::runner
