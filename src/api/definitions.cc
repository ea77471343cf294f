#include "api/definitions.h"

namespace holdfast::api {

namespace {

void require_queues_of(const Caller& caller, const std::vector<core::WorkflowStep>& steps) {
    for (const core::WorkflowStep& step : steps)
        if (step.kind == core::StepKind::Task) caller.require_queue(step.queue);
}

}  // namespace

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
