#include "config/workflow_file.h"

#include "config/draft.h"
#include "config/workflow_section.h"

namespace holdfast::config {

namespace {

using Read = Result<Workflows, ConfigErrors>;

Read finished(WorkflowSection& section, Draft& draft, const Workflows& others) {
    Workflows workflows = section.finish(others);
    if (!draft.errors().empty()) return Failure{draft.sorted_errors()};
    return workflows;
}

}  // namespace

Result<std::map<std::string, core::Workflow>, ConfigErrors> read_workflow_file(
    const std::string& path, const Catalog& catalog, const std::map<std::string, core::Workflow>& others) {
    Draft draft;
    WorkflowSection section(draft);
    section.read_file(path, {OriginKind::File, path, {.line = 0, .column = 0}}, {catalog, {}});
    return finished(section, draft, others);
}

Result<std::map<std::string, core::Workflow>, ConfigErrors> read_workflow_text(
    const std::string& text, const std::string& name, const Catalog& catalog,
    const std::map<std::string, core::Workflow>& others) {
    Draft draft;
    WorkflowSection section(draft);
    section.read_text(text, name, {catalog, {}});
    return finished(section, draft, others);
}

}  // namespace holdfast::config
