#pragma once

#include <string>

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
/// BadConfig with all errors of the file.
[[nodiscard]] core::WorkflowBundle choose_workflow(const WorkflowChoice& choice, const config::Config& config);

}  // namespace holdfast::cli
