#pragma once

#include <string>

namespace holdfast::runner {

/// What a status of waitpid says, for people: "exit code 3", "killed by SIGSEGV".
[[nodiscard]] std::string exit_text(int status);

}  // namespace holdfast::runner
