#include "server/api/definitions.h"

#include <algorithm>

#include "base/text.h"
#include "core/workflow/workflow.h"

namespace holdfast::api {

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

void require_own_work(Call& call) {
    call.caller.require(store::Scope::Operate, "a script or specification of one's own");
    const auto usual = call.caller.has_token() ? config::ScriptRule::FromCatalog : config::ScriptRule::Any;
    if (call.config().server.scripts.value_or(usual) == config::ScriptRule::Any) return;
    throw Problem("FORBIDDEN",
                  "this server runs only the scripts and containers of its catalog: define this one in its "
                  "configuration, or set server.scripts: any, which lets every token with scope operate run programs "
                  "as the user of the workers");
}

void require_known_work(Call& call, const core::WorkflowBundle& bundle) {
    const config::Catalog& catalog = call.config().tasks;
    const auto is_known = [&](const core::WorkflowStep& step) {
        if (step.kind != core::StepKind::Task || !step.spec) return true;
        const auto known = catalog.find(step.task);
        return known != catalog.end() && known->second.spec == step.spec && step.spec_reads_args && step.env.empty();
    };
    for (const auto& [name, workflow] : bundle.workflows) {
        const auto known = call.config().workflows.find(name);
        if (known != call.config().workflows.end() && known->second == workflow) continue;
        for (const auto* steps : {&workflow.steps, &workflow.on_success, &workflow.on_failure, &workflow.on_cancel})
            if (!std::ranges::all_of(*steps, is_known)) return require_own_work(call);
    }
}

void require_queues_of(const Caller& caller, const core::WorkflowBundle& bundle) {
    const auto queues = core::queues_of(bundle);
    for (const std::string& queue : queues) caller.require_queue(queue);
    if (queues.empty()) caller.require_all_queues();
}

}  // namespace holdfast::api
