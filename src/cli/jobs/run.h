#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/command.h"
#include "config/config.h"
#include "core/workflow/workflow.h"

namespace holdfast::cli {

/// The workflow that a person names; empty members were not given.
struct WorkflowChoice {
    std::string name = {};
    std::string file = {};  ///< the value of -f
};

/// Adds -f to a command.
void add_file_option(Command& command, WorkflowChoice& choice);

/// Returns the workflow of that name with all workflows that it starts; taken from the file, or else from the
/// configuration. The name may be omitted for a file with one workflow. Throws BadInput that lists the choices, or
/// Complaints with all errors of the file.
[[nodiscard]] core::WorkflowBundle choose_workflow(const WorkflowChoice& choice, const config::Config& config);

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
