#include "runner/run_process.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/throw_errno.h"

namespace holdfast::runner {

Descriptor readable_file(const std::string& text) {
    Descriptor file(memfd_create("holdfast-args", MFD_CLOEXEC));
    for (std::size_t written = 0; written < text.size();) {
        const ssize_t now = write(file.get(), text.data() + written, text.size() - written);
        if (now < 0) throw_errno("cannot keep the arguments");
        written += static_cast<std::size_t>(now);
    }
    lseek(file.get(), 0, SEEK_SET);
    return file;
}

int wait_for_process(pid_t child) {
    int status = 0;
    for (pid_t pid = 0; pid != child;)
        if ((pid = waitpid(-1, &status, __WALL)) < 0 && errno != EINTR) return W_EXITCODE(255, 0);
    return status;
}

}  // namespace holdfast::runner
