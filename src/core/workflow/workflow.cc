#include "core/workflow/workflow.h"

#include "base/text.h"

namespace holdfast::core {

namespace {

std::vector<std::string> names_of_workflows(const std::map<std::string, Workflow>& workflows) {
    std::vector<std::string> names;
    for (const auto& [name, workflow] : workflows) names.push_back(name);
    return names;
}

}  // namespace

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

std::string unknown_workflow(const std::string& name, const std::map<std::string, Workflow>& known,
                             std::string_view where) {
    const auto names = names_of_workflows(known);
    const auto meant = nearest_word(name, names);
    return concat("there is no workflow '", name, "' in ", where,
                  meant ? concat(" (did you mean '", *meant, "'?)") : "",
                  names.empty() ? std::string("; it defines none") : concat("; there are: ", join(names, ", ")));
}

std::string unnamed_workflow(const std::map<std::string, Workflow>& known, std::string_view where) {
    if (known.empty()) return concat(where, " defines no workflow");
    return concat(where, " defines more than one workflow; name one of: ", join(names_of_workflows(known), ", "));
}

}  // namespace holdfast::core
