#include "platform/identity.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "platform/files.h"
#include "platform/process_table.h"

namespace holdfast::platform {

namespace {

using CapabilitySets = std::array<__user_cap_data_struct, 2>;

/// Returns false when the system refuses. `call`: SYS_capget or SYS_capset.
bool exchange_capabilities(long call, CapabilitySets& sets) {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    return syscall(call, &header, sets.data()) == 0;
}

/// A change of the user removes the capabilities of root only.
bool drop_capabilities() {
    CapabilitySets none{};
    return exchange_capabilities(SYS_capset, none);
}

struct NamedCapability {
    unsigned number;
    const char* name;
    bool only_to_mount = false;
};
constexpr std::array needed = {
    NamedCapability{CAP_SETUID, "CAP_SETUID"},
    NamedCapability{CAP_SETGID, "CAP_SETGID"},
    NamedCapability{CAP_KILL, "CAP_KILL"},
    NamedCapability{CAP_CHOWN, "CAP_CHOWN"},
    NamedCapability{CAP_SYS_ADMIN, "CAP_SYS_ADMIN", true},
};

/// The permission check of kill() then selects the user's processes.
[[noreturn]] void kill_as(const Identity& identity) {
    _exit(become(identity) && kill(-1, SIGKILL) == 0 ? 0 : 1);
}

/// In one call of the system that even a process that forks all the time cannot escape. False when it must be tried
/// again: a process of the user can kill or stop the child before the child kills it.
bool signal_processes_of(const Identity& identity) {
    if (geteuid() == identity.user) return kill(-1, SIGKILL) == 0;  // spares this process
    const pid_t child = fork();
    if (child < 0) return false;
    if (child == 0) kill_as(identity);
    int status = 0;
    while (waitpid(child, &status, WUNTRACED | __WALL) < 0 && errno == EINTR) {
    }
    if (WIFSTOPPED(status)) {
        kill(child, SIGKILL);
        while (waitpid(child, &status, __WALL) < 0 && errno == EINTR) {
        }
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// The real user; of the owner of /proc/PID a process can decide that it is root. nullopt: it is gone.
std::optional<uid_t> user_of(pid_t pid) {
    constexpr std::string_view title = "\nUid:\t";
    const std::string status = content_of(concat("/proc/", pid, "/status"));
    const std::size_t at = status.find(title);
    if (at == std::string::npos) return std::nullopt;
    uid_t user = 0;
    std::from_chars(status.data() + at + title.size(), status.data() + status.size(), user);
    return user;
}

}  // namespace

Result<Identity, std::string> find_account(const std::string& name) {
    errno = 0;
    const passwd* account = getpwnam(name.c_str());
    if (account == nullptr) return Failure{concat("there is no user ", name, " on this machine")};
    if (account->pw_uid == 0) return Failure{concat("the user ", name, " is root")};
    Identity identity{.user = account->pw_uid, .group = account->pw_gid, .home = account->pw_dir};
    int count = 0;
    getgrouplist(name.c_str(), identity.group, nullptr, &count);
    identity.groups.resize(static_cast<std::size_t>(count));
    if (getgrouplist(name.c_str(), identity.group, identity.groups.data(), &count) < 0)
        return Failure{concat("cannot read the groups of the user ", name)};
    return identity;
}

bool become(const Identity& identity) {
    umask(077);
    return setgroups(identity.groups.size(), identity.groups.data()) == 0 &&
           setresgid(identity.group, identity.group, identity.group) == 0 &&
           setresuid(identity.user, identity.user, identity.user) == 0 && drop_capabilities() &&
           prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

std::vector<std::string> missing_capabilities(bool mounts) {
    CapabilitySets own{};
    exchange_capabilities(SYS_capget, own);
    std::vector<std::string> missing;
    for (const NamedCapability& each : needed) {
        if (each.only_to_mount && !mounts) continue;
        if ((own.at(each.number / 32).effective >> (each.number % 32) & 1) == 0) missing.emplace_back(each.name);
    }
    return missing;
}

bool kill_processes_of(const Identity& identity) {
    return signal_processes_of(identity) && find_process_of_users(identity.user, identity.user).pid == 0;
}

void kill_all_processes_of(const Identity& identity) {
    constexpr timespec pause{0, 1'000'000};
    for (kill_all_descendants(); !kill_processes_of(identity); kill_all_descendants()) nanosleep(&pause, nullptr);
}

UserProcess find_process_of_users(uid_t first, uid_t last) {
    for (const ProcessEntry& process : list_processes()) {
        if (process.state == 'Z' || process.pid == getpid()) continue;
        const auto user = user_of(process.pid);
        if (user && *user >= first && *user <= last) return {process.pid, *user};
    }
    return {};
}

void hide_from_own_user() {
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

}  // namespace holdfast::platform
