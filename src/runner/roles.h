#pragma once

#include <string_view>

#include "holdfast/function.h"
#include "platform/programs.h"

namespace holdfast::runner {

// The roles of a process of the program beside its own: keeper or runner. A flag selects the role; the descriptors
// that it inherits have fixed numbers.

/// The life of a keeper: the parent of a worker's runners, single-threaded, child subreaper. It starts and kills
/// runners on orders from `keeper_socket`, and kills those that do not end a fenced run in time, even stopped ones.
/// It reports the death of a runner when no process that the runner had started is left. When the worker is gone it
/// kills every descendant, whatever its group or session. Then it becomes a witness if its worker said so, or returns
/// the exit code.
int run_keeper(int argc, char** argv);

/// The life of a runner: it reports that it is ready and executes one task after the other, each until no process
/// that the task has started is left. Returns the exit code when it may not run more tasks.
int run_runner(int argc, char** argv, const FunctionTable& functions);

/// Whether this process has called holdfast::runner_main(), so that a new process of its program can take a role.
[[nodiscard]] bool has_roles();

inline constexpr std::string_view keeper_flag = "--holdfast-keeper";
inline constexpr std::string_view runner_flag = "--holdfast-runner";
/// Of a witness, into which a keeper turns at its end. Only the program with servers in it has this role.
inline constexpr std::string_view witness_flag = "--holdfast-witness";

inline constexpr std::string_view no_cgroups = "without-cgroups";  ///< a keeper's further argument

// The descriptors of a keeper, in the order in which its worker gives them:
inline constexpr int keeper_socket = platform::first_given_descriptor;  ///< to its worker
/// The variables that are withheld from runners; see worker_environment.h.
inline constexpr int keeper_withheld = keeper_socket + 1;

// The descriptors of a runner, in the order in which its keeper gives them:
inline constexpr int task_socket = platform::first_given_descriptor;
inline constexpr int control_socket = task_socket + 1;  ///< beside the tasks: stops, fences, beats, logs
inline constexpr int keeper_pipe = control_socket + 1;  ///< ends when the keeper does
inline constexpr int withheld_file = keeper_pipe + 1;   ///< the same file as keeper_withheld; closed once it is read

/// The descriptor of a witness: a sealed file with what it needs.
inline constexpr int witness_file = platform::first_given_descriptor;

// The exit codes of a runner that ends itself, chosen so that hardly any task uses them.
inline constexpr int fenced_exit = 121;
inline constexpr int memory_exit = 122;
inline constexpr int abandoned_exit = 123;  ///< its worker or its keeper is gone, or breaks the protocol

}  // namespace holdfast::runner
