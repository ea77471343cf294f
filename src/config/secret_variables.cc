#include "config/secret_variables.h"

namespace holdfast::config {

namespace {

void add_from(const std::optional<core::TaskSpec>& spec, std::vector<std::string>& names) {
    constexpr std::string_view from_environment = "env:";
    if (!spec) return;
    for (const auto& [name, source] : spec->secrets)
        if (source.starts_with(from_environment)) names.push_back(source.substr(from_environment.size()));
}

}  // namespace

std::vector<std::string> secret_variables(const Config& config) {
    std::vector<std::string> names;
    for (const auto& [name, task] : config.tasks) add_from(task.spec, names);
    for (const auto& [name, workflow] : config.workflows)
        for (const auto* steps : {&workflow.steps, &workflow.on_success, &workflow.on_failure, &workflow.on_cancel})
            for (const core::WorkflowStep& step : *steps) add_from(step.spec, names);
    return names;
}

}  // namespace holdfast::config
