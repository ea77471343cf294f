#pragma once

#include <string>

#include "cli/command.h"
#include "config/config.h"
#include "core/workflow/workflow.h"

namespace holdfast::cli {

/// Which workflow a person means; empty where nothing was said.
struct WorkflowChoice {
    std::string name = {};
    std::string file = {};  ///< of -f
};

/// Adds -f to a command.
void add_file_option(Command& command, WorkflowChoice& choice);

/// The workflow of that name, of the file or else of the configuration, with all that it starts. A file with one
/// workflow needs no name. Throws BadInput that says what there is, or BadConfig with everything that is wrong with
/// the file.
[[nodiscard]] core::WorkflowBundle choose_workflow(const WorkflowChoice& choice, const config::Config& config);

}  // namespace holdfast::cli
