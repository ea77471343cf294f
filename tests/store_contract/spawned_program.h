#pragma once

#include <pwd.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "proof/crew/process.h"

namespace holdfast::contract {

/// Another program that runs beside the test. Asked to leave, and waited for, when this is destroyed.
class SpawnedProgram : public crew::Process {
public:
    explicit SpawnedProgram(const std::vector<std::string>& command)
        : Process({.command = command, .output = crew::Stream::Piped}) {}
    SpawnedProgram(const SpawnedProgram&) = delete;
    SpawnedProgram& operator=(const SpawnedProgram&) = delete;
    ~SpawnedProgram() { dismiss(); }
};

/// The command, run as the user that may run database programs: they refuse to run as root.
[[nodiscard]] inline std::vector<std::string> as_database_user(std::vector<std::string> command) {
    if (geteuid() == 0)
        command.insert(command.begin(), {"setpriv", "--reuid", "postgres", "--regid", "postgres", "--init-groups"});
    return command;
}

/// A new folder in /tmp that belongs to this user, and that others may look into.
[[nodiscard]] inline std::string folder_for_database_user() {
    std::string pattern = "/tmp/holdfast-own-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
    const passwd* owner = geteuid() == 0 ? getpwnam("postgres") : nullptr;
    if (owner != nullptr && chown(pattern.c_str(), owner->pw_uid, owner->pw_gid) != 0)
        throw std::runtime_error("chown");
    chmod(pattern.c_str(), 0755);
    return pattern;
}

/// Waits for another process.
template <typename Condition>
void await(const Condition& condition, const std::string& what) {
    for (int tries = 0; !condition(); ++tries) {
        if (tries == 3000) throw std::runtime_error("waited in vain for " + what);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

}  // namespace holdfast::contract
