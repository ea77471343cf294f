#include "core/workflow/workflow.h"

namespace holdfast::core {

WorkflowBundle bundle_of(const std::string& main, const std::map<std::string, Workflow>& all) {
    WorkflowBundle bundle{.main = main, .workflows = {}};
    std::vector<std::string> wanted{main};
    while (!wanted.empty()) {
        const std::string name = std::move(wanted.back());
        wanted.pop_back();
        const auto found = all.find(name);
        if (found == all.end() || !bundle.workflows.emplace(name, found->second).second) continue;
        for (const WorkflowStep& step : found->second.steps)
            if (step.kind == StepKind::Workflow) wanted.push_back(step.workflow);
    }
    return bundle;
}

}  // namespace holdfast::core
