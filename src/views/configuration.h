#pragma once

#include "config/config.h"
#include "store/store.h"
#include "views/members.h"

namespace holdfast::views {

// A configuration: its tasks, workflows, settings and errors; and the findings of a check of the store.

enum class CatalogKind { Function, Script, Container, Pod };
constexpr auto words_of(CatalogKind) {
    using enum CatalogKind;
    return words<CatalogKind>({{Function, "function"}, {Script, "script"}, {Container, "container"}, {Pod, "pod"}});
}

Table<RetryPolicy> table(Of<RetryPolicy>);
Table<config::TaskDefinition> table(Of<config::TaskDefinition>);
Table<core::InputField> table(Of<core::InputField>);
Table<core::WorkflowStep> table(Of<core::WorkflowStep>);
Table<core::Workflow> table(Of<core::Workflow>);
Table<config::Setting> table(Of<config::Setting>);
Table<config::ConfigError> table(Of<config::ConfigError>);
Table<store::Finding> table(Of<store::Finding>);

}  // namespace holdfast::views
