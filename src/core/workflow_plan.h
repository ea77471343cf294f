#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/expression.h"
#include "core/template.h"
#include "core/workflow.h"

namespace holdfast::core {

enum class HookKind { OnSuccess, OnError, OnCancel };
[[nodiscard]] std::string_view to_text(HookKind hook);  ///< "on_success", "on_error", "on_cancel"

/// A step, ready to be carried out: names turned into numbers, texts into expressions.
struct PlannedStep {
    WorkflowStep definition;
    std::optional<HookKind> hook = {};
    std::vector<int> dependencies = {};  ///< by number; each once
    std::vector<int> dependents = {};
    bool is_optional = false;  ///< its failure is not the job's
    Template input;
    Template env;      ///< of an object: the variables laid over the specification's
    Template command;  ///< of the specification, if it reads the job's input
    Template spec_env;
    Template concurrency_key;
    Template text;  ///< the message of an approval; the time or length of a wait
    std::optional<Template> for_each = {};
    std::optional<Expression> when = {};
};

/// A workflow made ready. Immutable: shared by everybody who advances its jobs.
struct WorkflowPlan {
    Workflow definition;
    std::vector<PlannedStep> steps;  ///< as defined, then the hooks
    std::size_t step_count = 0;      ///< without the hooks
    std::vector<int> roots = {};     ///< steps without dependencies
    Template output;
    std::optional<int> only_last = {};  ///< the only step that nothing depends on

    [[nodiscard]] std::optional<int> find_step(std::string_view name) const;
    [[nodiscard]] std::string name_of(int step, int item) const;  ///< "fetch", "fetch[3]", "on_error[1]"
    /// Reads what name_of wrote.
    [[nodiscard]] std::optional<std::pair<int, int>> find_step_or_item(std::string_view name) const;
};

/// Plans a workflow; the error is what keeps it from being planned, which workflow_faults would have reported.
[[nodiscard]] Result<WorkflowPlan, std::string> plan_workflow(const Workflow& workflow);

/// Every workflow of a bundle, planned.
using PlannedBundle = std::map<std::string, WorkflowPlan>;
struct BundlePlan {
    std::string main;
    PlannedBundle workflows;

    [[nodiscard]] const WorkflowPlan* find(const std::string& name) const;
};
[[nodiscard]] Result<BundlePlan, std::string> plan_bundle(std::string_view definition_text);

}  // namespace holdfast::core
