#pragma once

#include <unistd.h>

#include <string>
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

}  // namespace holdfast::contract
