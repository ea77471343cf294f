#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// Texts for people about processes, and about what they print.
namespace holdfast::runner {

/// Any bytes as text that every store accepts: valid UTF-8 stays as it is, other bytes and NUL become "\xE9".
[[nodiscard]] std::string readable_text(std::string_view bytes);

/// Describes a status of waitpid: "exit code 3", "killed by SIGSEGV".
[[nodiscard]] std::string exit_text(int status);

/// "memory limit 512 MiB"; in KiB when it is not a whole number of MiB.
[[nodiscard]] std::string memory_limit_text(std::int64_t bytes);

}  // namespace holdfast::runner
