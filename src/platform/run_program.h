#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "holdfast/time.h"

namespace holdfast::platform {

/// What a program printed on stdout (its first 1 MiB), and its status of waitpid.
struct ProgramEnd {
    int status = 0;
    std::string output;
};

/// Runs a program, found by its name in $PATH, and waits for its end. Killed, with the processes of its group, when
/// it takes longer than `patience`. nullopt when it could not be started or was killed for that, or somebody else has
/// reaped it.
[[nodiscard]] std::optional<ProgramEnd> run_program(const std::vector<std::string>& words, Duration patience);

/// Waits for the end of a child that leads its group; kills the group when it takes longer than `patience`. Its
/// status of waitpid; nullopt when it was killed for that, or somebody else has reaped it.
[[nodiscard]] std::optional<int> status_within(pid_t child, Duration patience);

/// Where $PATH has the program; the name itself when it has a slash; empty when there is none.
[[nodiscard]] std::string find_program(const std::string& name);

}  // namespace holdfast::platform
