#include "server/api/definitions.h"

#include "base/text.h"
#include "core/workflow/workflow.h"

namespace holdfast::api {

namespace {

void require_queues_of(const Caller& caller, const std::vector<core::WorkflowStep>& steps) {
    for (const core::WorkflowStep& step : steps)
        if (step.kind == core::StepKind::Task) caller.require_queue(step.queue);
}

}  // namespace

core::WorkflowBundle checked_bundle(const schema::Value& definition) {
    auto bundle = core::parse_workflow_bundle(definition.dump());
    if (!bundle.ok()) throw Problem("REFUSED", concat("the definition cannot be read: ", bundle.error()));
    std::vector<Fault> faults;
    for (const auto& [name, workflow] : bundle->workflows)
        for (const auto& fault : core::workflow_faults(workflow, bundle->workflows))
            faults.push_back({concat(name, ".", fault.path), fault.problem});
    if (!bundle->workflows.contains(bundle->main)) faults.push_back({"main", "names no workflow of the bundle"});
    if (!faults.empty()) throw Problem("REFUSED", "the definition is not valid", std::move(faults));
    return std::move(bundle).value();
}

std::string checked_input(const core::Workflow& workflow, std::string_view input) {
    auto checked = core::checked_input_text(workflow, input.empty() || input == "null" ? "{}" : input);
    if (checked.ok()) return std::move(checked).value();
    std::vector<Fault> faults;
    for (const std::string& fault : checked.error()) faults.push_back({"input", fault});
    throw Problem("REFUSED", concat("the input does not fit workflow ", workflow.name, ": ", checked.error().front()),
                  std::move(faults));
}

void require_bearable(const std::string& yaml) {
    if (yaml.size() <= max_yaml_bytes) return;
    throw Problem("TOO_LARGE", concat("the yaml has ", yaml.size(), " bytes; at most ", max_yaml_bytes,
                                      " are read here; 'holdfast config check' reads any number"));
}

void require_queues_of(const Caller& caller, const core::WorkflowBundle& bundle) {
    for (const auto& [name, workflow] : bundle.workflows)
        for (const auto* steps : {&workflow.steps, &workflow.on_success, &workflow.on_failure, &workflow.on_cancel})
            require_queues_of(caller, *steps);
}

void require_queues_of(const Caller& caller, const std::string& definition) {
    if (caller.queues.empty()) return;
    const auto bundle = core::parse_workflow_bundle(definition);
    if (!bundle.ok()) return caller.require_all_queues();
    require_queues_of(caller, *bundle);
}

}  // namespace holdfast::api
