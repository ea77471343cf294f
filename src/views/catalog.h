#pragma once

#include <string>
#include <vector>

#include "config/catalog.h"
#include "core/workflow/workflow.h"
#include "views/members.h"

namespace holdfast::views {

// The tasks and workflows that a configuration defines.

enum class CatalogKind { Function, Script, Container, Pod };
constexpr auto words_of(CatalogKind) {
    using enum CatalogKind;
    return words<CatalogKind>({{Function, "function"}, {Script, "script"}, {Container, "container"}, {Pod, "pod"}});
}

struct CatalogTask {
    std::string name = {};
    config::TaskDefinition definition = {};
};

Table<RetryPolicy> table(Of<RetryPolicy>);
Table<CatalogTask> table(Of<CatalogTask>);
Table<core::InputField> table(Of<core::InputField>);
Table<core::WorkflowStep> table(Of<core::WorkflowStep>);
Table<core::Workflow> table(Of<core::Workflow>);

}  // namespace holdfast::views
