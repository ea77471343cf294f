#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runner/program_process.h"

namespace holdfast::runner {

/// How to check whether a program keeps to docs/runner-protocol.md.
struct ProgramCheckParams {
    ProgramParams program;
    Duration patience = std::chrono::seconds(5);  ///< with each answer, and with the end of the program
    Duration hello_patience = std::chrono::seconds(30);
    std::string task = {};       ///< a task that may be run; empty: none, and only runs of an unknown one
    std::string args = "null";   ///< JSON text, of its runs
    std::string stop_args = {};  ///< ... of a run that lasts until it is asked to stop; empty: there is none
};

struct ProgramCheckStep {
    std::string rule;                  ///< what the program must do: "exits when its worker hangs up"
    std::optional<std::string> fault;  ///< what it did instead
};

/// Drives copies of the program through the messages and faults of the protocol, calls `report` after each step, and
/// returns whether the program did everything right. Without a hello the other steps are left out.
[[nodiscard]] bool check_program(const ProgramCheckParams& params,
                                 const std::function<void(const ProgramCheckStep&)>& report);

}  // namespace holdfast::runner
