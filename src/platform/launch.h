#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "holdfast/result.h"

namespace holdfast::platform {

/// A program to start as a child that leads a session of its own, with default signals, and is killed when the
/// calling thread ends. It inherits stdout and stderr, and the descriptors that are not closed on exec.
struct LaunchParams {
    std::string file;                      ///< a path
    std::vector<std::string> arguments;    ///< with the program's name first
    std::vector<std::string> environment;  ///< "NAME=value"
    std::string directory;
    // Descriptors that become its streams; -1: it inherits that of this process.
    int output = -1;
    int input = -1;
    int errors = -1;
    std::optional<unsigned> most_user_processes = {};  ///< of all processes of its user; does not bind root
};

/// Its pid, or why it could not be started, as a message for people.
[[nodiscard]] Result<pid_t, std::string> launch(const LaunchParams& params);

}  // namespace holdfast::platform
