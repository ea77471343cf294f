#include "store/restored.h"

#include "core/workflow/workflow.h"

namespace holdfast::store {

bool is_refused(const CheckReport& check, const RestartParams& params) {
    return check.violates(CheckRule::Pages) || (!check.violations.empty() && !params.accepts_faults);
}

std::set<std::string> queues_in(const std::string& definition) {
    const auto bundle = core::parse_workflow_bundle(definition);
    if (!bundle) return {};
    const auto queues = core::queues_of(*bundle);
    return {queues.begin(), queues.end()};
}

}  // namespace holdfast::store
