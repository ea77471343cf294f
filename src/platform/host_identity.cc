#include "platform/host_identity.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "base/text.h"
#include "platform/files.h"
#include "platform/process_table.h"

namespace holdfast::platform {

namespace {

std::uint64_t pid_namespace() {
    struct stat info {};
    return stat("/proc/self/ns/pid", &info) == 0 ? info.st_ino : 0;
}

}  // namespace

std::string host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::uint64_t start_time_of(int pid) {
    const auto process = find_process(pid);
    return process ? process->started : 0;
}

store::HostIdentity own_host_identity() {
    return {.hostname = host_name(),
            .boot_id = std::string(trimmed(content_of("/proc/sys/kernel/random/boot_id"))),
            .pid_namespace = pid_namespace(),
            .pid = getpid(),
            .start_time = start_time_of(getpid())};
}

}  // namespace holdfast::platform
