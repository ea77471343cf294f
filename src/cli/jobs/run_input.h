#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command.h"
#include "core/workflow/workflow.h"

namespace holdfast::cli {

/// A job's input as typed; empty members were not given.
struct InputFlags {
    std::string input, input_file;
    std::vector<std::string> members;  ///< key=value
};
void add_input_options(Command& command, InputFlags& flags);

/// Returns the whole input, with the workflow's defaults. Members override --input or --input-file. A member that the
/// workflow declares as text is taken literally; any other is parsed as JSON when possible. Throws Complaints with
/// every value that does not fit the workflow.
[[nodiscard]] std::string read_input(const InputFlags& flags, const core::Workflow& workflow, std::istream& in);

}  // namespace holdfast::cli
