#include "store/restored.h"

#include "core/workflow/workflow.h"

namespace holdfast::store {

bool is_refused(const CheckReport& check, const RestartParams& params) {
    return check.violates(CheckRule::Pages) || (!check.violations.empty() && !params.accepts_faults);
}

std::set<std::string> queues_in(const std::string& definition) {
    std::set<std::string> queues;
    const auto bundle = core::parse_workflow_bundle(definition);
    if (!bundle) return queues;
    for (const auto& [name, workflow] : bundle->workflows)
        for (const auto* steps : {&workflow.steps, &workflow.on_success, &workflow.on_failure, &workflow.on_cancel})
            for (const auto& step : *steps) queues.insert(step.queue);
    return queues;
}

}  // namespace holdfast::store
