#include "cli/jobs/workflow_choice.h"

#include <fmt/format.h>

#include "cli/session.h"
#include "config/workflow_file.h"
#include "core/workflow/choice.h"

namespace holdfast::cli {

namespace {

using Workflows = std::map<std::string, core::Workflow>;

std::string known_name(const std::string& name, const Workflows& known, const std::string& file) {
    if (known.contains(name)) return name;
    if (!file.empty()) throw BadInput(core::unknown_workflow(name, known, file));
    throw BadInput(
        fmt::format("there is no workflow '{}': no configuration file was read; write one (holdfast.yaml), name one "
                    "with --config, or run a file of its own with -f",
                    name));
}

core::WorkflowBundle from_file(const WorkflowChoice& choice, const config::Config& config) {
    auto read = config::read_workflow_file(choice.file, config.tasks, config.workflows);
    if (!read.ok()) throw BadConfig(to_lines(read.error()));
    Workflows workflows = std::move(read).value();
    if (choice.name.empty() && workflows.size() != 1) throw BadInput(core::unnamed_workflow(workflows, choice.file));
    const std::string name =
        choice.name.empty() ? workflows.begin()->first : known_name(choice.name, workflows, choice.file);
    workflows.insert(config.workflows.begin(), config.workflows.end());
    return core::bundle_of(name, workflows);
}

}  // namespace

void add_file_option(Command& command, WorkflowChoice& choice) {
    command.text("-f,--file", choice.file, "FILE", "Take the workflow from this file; NAME is then optional");
}

core::WorkflowBundle choose_workflow(const WorkflowChoice& choice, const config::Config& config) {
    if (!choice.file.empty()) return from_file(choice, config);
    if (choice.name.empty()) throw BadInput("the name of a workflow is missing; or take one from a file with -f");
    return core::bundle_of(known_name(choice.name, config.workflows, config.file), config.workflows);
}

}  // namespace holdfast::cli
