#pragma once

#include <map>
#include <string>

#include "config/catalog.h"
#include "config/config_error.h"
#include "core/workflow/workflow.h"
#include "holdfast/result.h"

namespace holdfast::config {

/// Reads a file of workflows that is not a configuration. With `steps` at its top it is one workflow, named by `name`
/// or after the file; with `workflows` it holds several by name. Its own `tasks` take precedence over those of
/// `catalog`. Its workflows may start each other and those of `others`. Returns the workflows of the file, or all
/// errors.
[[nodiscard]] Result<std::map<std::string, core::Workflow>, ConfigErrors> read_workflow_file(
    const std::string& path, const Catalog& catalog, const std::map<std::string, core::Workflow>& others = {});

/// Reads a text in the same way. `name` is its name in errors, and the name of a workflow that does not state one.
[[nodiscard]] Result<std::map<std::string, core::Workflow>, ConfigErrors> read_workflow_text(
    const std::string& text, const std::string& name, const Catalog& catalog,
    const std::map<std::string, core::Workflow>& others = {});

}  // namespace holdfast::config
