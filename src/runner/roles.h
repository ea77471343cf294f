#pragma once

#include <string_view>

namespace holdfast::runner {

// How the program is told to be something else than itself, and by which descriptors it talks then.

inline constexpr std::string_view keeper_flag = "--holdfast-keeper";
inline constexpr std::string_view runner_flag = "--holdfast-runner";

inline constexpr std::string_view no_cgroups = "without-cgroups";  ///< a keeper's further argument

inline constexpr int keeper_socket = 3;  ///< of a keeper: to its worker
inline constexpr int keeper_withheld =
    4;  ///< of a keeper: the variables that runners do not have; see worker_environment.h

inline constexpr int task_socket = 3;     ///< of a runner, as are the following
inline constexpr int control_socket = 4;  ///< beside the tasks: stops, fences, beats, logs
inline constexpr int keeper_pipe = 5;     ///< ends when the keeper does
inline constexpr int withheld_file = 6;   ///< the same file as keeper_withheld; closed once it is read

// How a runner ends itself. Numbers that hardly any task uses for an end of its own.
inline constexpr int fenced_exit = 121;
inline constexpr int memory_exit = 122;
inline constexpr int abandoned_exit = 123;  ///< its worker or its keeper is gone, or talks nonsense

}  // namespace holdfast::runner
