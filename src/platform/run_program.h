#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "holdfast/time.h"

namespace holdfast::platform {

/// What a program printed on stdout (the first 1 MiB), and its status of waitpid.
struct ProgramEnd {
    int status = 0;
    std::string output;
};

/// Runs a program, found by its name in $PATH, and waits for its end. Kills it with the processes of its group when
/// it takes longer than `patience`. nullopt when it could not be started, was killed for that, or was reaped by
/// another thread.
[[nodiscard]] std::optional<ProgramEnd> run_program(const std::vector<std::string>& words, Duration patience);

/// Waits for the end of a child that leads its group; kills the group when it takes longer than `patience`. Returns
/// the status of waitpid; nullopt when it was killed for that, or was reaped by another thread.
[[nodiscard]] std::optional<int> status_within(pid_t child, Duration patience);

/// The path of the program in $PATH; the name itself when it has a slash; empty when it is not found.
[[nodiscard]] std::string find_program(const std::string& name);

}  // namespace holdfast::platform
