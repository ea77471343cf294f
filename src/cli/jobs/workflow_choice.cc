#include "cli/jobs/workflow_choice.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/text.h"
#include "cli/session.h"
#include "cli/terminal/words.h"
#include "config/workflow_file.h"

namespace holdfast::cli {

namespace {

using Workflows = std::map<std::string, core::Workflow>;

std::vector<std::string> names_of(const Workflows& workflows) {
    std::vector<std::string> names;
    for (const auto& [name, workflow] : workflows) names.push_back(name);
    return names;
}

[[noreturn]] void refuse_unknown(const std::string& name, const Workflows& known, const std::string& file) {
    if (file.empty())
        throw BadInput(
            fmt::format("there is no workflow '{}': no configuration file was read; write one (holdfast.yaml), name "
                        "one with --config, or run a file of its own with -f",
                        name));
    if (known.empty())
        throw BadInput(fmt::format("there is no workflow '{}': {} defines none under 'workflows'", name, file));
    const auto names = names_of(known);
    throw BadInput(fmt::format("there is no workflow '{}' in {}{}; there are: {}", name, file,
                               suggestion(name, names), join(names, ", ")));
}

std::string only_name(const Workflows& workflows, const std::string& file) {
    if (workflows.size() == 1) return workflows.begin()->first;
    if (workflows.empty()) throw BadInput(fmt::format("{} defines no workflow", file));
    throw BadInput(
        fmt::format("{} defines more than one workflow; name one of: {}", file, join(names_of(workflows), ", ")));
}

core::WorkflowBundle from_file(const WorkflowChoice& choice, const config::Config& config) {
    auto read = config::read_workflow_file(choice.file, config.tasks, config.workflows);
    if (!read.ok()) throw BadConfig(to_lines(read.error()));
    Workflows workflows = std::move(read).value();
    const std::string name = choice.name.empty() ? only_name(workflows, choice.file) : choice.name;
    if (!workflows.contains(name)) refuse_unknown(name, workflows, choice.file);
    workflows.insert(config.workflows.begin(), config.workflows.end());
    return core::bundle_of(name, workflows);
}

}  // namespace

void add_file_option(CLI::App& command, WorkflowChoice& choice) {
    command.add_option("-f,--file", choice.file, "Take the workflow from this file; NAME is then optional")
        ->type_name("FILE");
}

core::WorkflowBundle choose_workflow(const WorkflowChoice& choice, const config::Config& config) {
    if (!choice.file.empty()) return from_file(choice, config);
    if (choice.name.empty()) throw BadInput("the name of a workflow is missing; or take one from a file with -f");
    if (!config.workflows.contains(choice.name)) refuse_unknown(choice.name, config.workflows, config.file);
    return core::bundle_of(choice.name, config.workflows);
}

}  // namespace holdfast::cli
