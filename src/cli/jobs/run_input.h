#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command.h"
#include "core/workflow/workflow.h"

namespace holdfast::cli {

/// A job's input as a person typed it; empty where nothing was said.
struct InputFlags {
    std::string input, input_file;
    std::vector<std::string> members;  ///< key=value
};
void add_input_options(Command& command, InputFlags& flags);

/// The whole input, with the workflow's defaults. Members lie over what --input or --input-file gave; a member that
/// the workflow calls a text is taken as it is, any other is JSON if it can be read so. Throws Complaints with
/// everything that does not fit the workflow.
[[nodiscard]] std::string read_input(const InputFlags& flags, const core::Workflow& workflow, std::istream& in);

}  // namespace holdfast::cli
