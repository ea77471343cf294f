#pragma once

#include <map>
#include <string>

#include "config/catalog.h"
#include "config/config_error.h"
#include "core/workflow/workflow.h"
#include "holdfast/result.h"

namespace holdfast::config {

/// Reads a file of workflows that is not a configuration: one with `steps` at its top is one workflow, called as its
/// `name` says or as the file is; one with `workflows` holds several by name. `tasks` in it go before those of
/// `catalog`. What it starts may be its own or one of `others`. The file's workflows, or all that is wrong.
[[nodiscard]] Result<std::map<std::string, core::Workflow>, ConfigErrors> read_workflow_file(
    const std::string& path, const Catalog& catalog, const std::map<std::string, core::Workflow>& others = {});

/// The same for a text; `name` is what errors call it, and a workflow that has no name of its own.
[[nodiscard]] Result<std::map<std::string, core::Workflow>, ConfigErrors> read_workflow_text(
    const std::string& text, const std::string& name, const Catalog& catalog,
    const std::map<std::string, core::Workflow>& others = {});

}  // namespace holdfast::config
