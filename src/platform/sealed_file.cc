#include "platform/sealed_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>

#include "base/throw_errno.h"

namespace holdfast::platform {

Descriptor sealed_file(const char* name, std::string_view content) {
    Descriptor file(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!file) throw_errno("memfd_create");
    while (!content.empty()) {
        const ssize_t written = write(file.get(), content.data(), content.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) throw_errno("cannot write to a file in memory");
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    if (fcntl(file.get(), F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) != 0)
        throw_errno("cannot seal a file in memory");
    return file;
}

// Not with read(): the processes that have inherited the descriptor share its offset.
std::string content_of(int sealed_file) {
    std::string content;
    std::array<char, 4096> buffer{};
    ssize_t got = 0;
    while ((got = pread(sealed_file, buffer.data(), buffer.size(), static_cast<off_t>(content.size()))) > 0)
        content.append(buffer.data(), static_cast<std::size_t>(got));
    return content;
}

}  // namespace holdfast::platform
