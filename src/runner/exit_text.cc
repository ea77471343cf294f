#include "runner/exit_text.h"

#include <string.h>
#include <sys/wait.h>

#include "base/text.h"

namespace holdfast::runner {

std::string exit_text(int status) {
    if (WIFEXITED(status)) return concat("exit code ", WEXITSTATUS(status));
    if (!WIFSIGNALED(status)) return concat("wait status ", status);
    const char* name = sigabbrev_np(WTERMSIG(status));
    if (name == nullptr) return concat("killed by signal ", WTERMSIG(status));
    return concat("killed by SIG", name);
}

}  // namespace holdfast::runner
