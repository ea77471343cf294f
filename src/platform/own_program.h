#pragma once

#include <string>
#include <vector>

namespace holdfast::platform {

/// Opens the program that this process runs, once. If its file is replaced later, execute_own_program still runs the
/// old one. Throws std::system_error.
int own_program();

/// Executes this program again with these arguments and environment. Returns only on failure. Only calls what a
/// forked child of a process with threads may call.
void execute_own_program(int program, char* const* arguments, char* const* environment);

/// Pointers into `texts` with a null at the end, as exec expects them.
[[nodiscard]] std::vector<char*> exec_vector(const std::vector<std::string>& texts);

/// The environment of this process, without the variables of these names, and with `added` ("NAME=value").
[[nodiscard]] std::vector<std::string> environment_with(const std::vector<std::string>& added);

}  // namespace holdfast::platform
