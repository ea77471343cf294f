#pragma once

#include <sys/types.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/result.h"
#include "holdfast/time.h"
#include "platform/identity.h"

namespace holdfast::platform {

// ---- Programs and their environment -----------------------------------------------------------------------------

/// The path of the program in $PATH; the name itself when it has a slash; empty when it is not found.
[[nodiscard]] std::string find_program(const std::string& name);

/// Pointers into `texts` with a null at the end, as exec expects them.
[[nodiscard]] std::vector<char*> exec_vector(const std::vector<std::string>& texts);

/// The environment of this process, without the variables of these names, and with `added` ("NAME=value").
[[nodiscard]] std::vector<std::string> environment_with(const std::vector<std::string>& added);

// ---- This program again -----------------------------------------------------------------------------------------

/// Opens the program that this process runs, once. If its file is replaced later, execute_own_program still runs the
/// old one. Throws std::system_error.
int own_program();

/// The number that the first of `descriptors` of execute_own_program has in the new program.
inline constexpr int first_given_descriptor = 3;

/// Executes this program again with these arguments and environment. It gets the standard streams and `descriptors`,
/// numbered from `first_given_descriptor` on, and no other. Returns only on failure. Only calls what a forked child
/// of a process with threads may call.
void execute_own_program(int program, std::initializer_list<int> descriptors, char* const* arguments,
                         char* const* environment);

// ---- Child processes --------------------------------------------------------------------------------------------

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
    std::optional<Identity> identity = {};  ///< the user that it becomes; nullopt: stays that of this process
};

/// Its pid, or why it could not be started, as a message for people.
[[nodiscard]] Result<pid_t, std::string> launch(const LaunchParams& params);

/// Waits for the end of a child that leads its group; kills the group when it takes longer than `patience`. Returns
/// the status of waitpid; nullopt when it was killed for that, or was reaped by another thread.
[[nodiscard]] std::optional<int> status_within(pid_t child, Duration patience);

/// What a program printed on stdout (the first 1 MiB), and its status of waitpid.
struct ProgramEnd {
    int status = 0;
    std::string output;
};

/// Runs a program, found by its name in $PATH, and waits for its end. Kills it with the processes of its group when
/// it takes longer than `patience`. nullopt when it could not be started, was killed for that, or was reaped by
/// another thread.
[[nodiscard]] std::optional<ProgramEnd> run_program(const std::vector<std::string>& words, Duration patience);

}  // namespace holdfast::platform
