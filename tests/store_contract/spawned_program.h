#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace holdfast::contract {

/// Another program that runs beside the test; told to end, and waited for, when this is destroyed.
class SpawnedProgram {
public:
    explicit SpawnedProgram(const std::vector<std::string>& command);
    SpawnedProgram(const SpawnedProgram&) = delete;
    SpawnedProgram& operator=(const SpawnedProgram&) = delete;
    ~SpawnedProgram();

    /// The next line of its output; "" when it has ended.
    [[nodiscard]] std::string read_line();

private:
    pid_t pid_ = -1;
    int output_ = -1;
};

/// Runs a command to its end; its exit code.
int run_program(const std::vector<std::string>& command);

/// The command, run as the user that may run database programs: they refuse to run as root.
[[nodiscard]] std::vector<std::string> as_database_user(std::vector<std::string> command);

}  // namespace holdfast::contract
