#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/expression/template.h"
#include "core/workflow/workflow.h"

namespace holdfast::core {

enum class HookKind { OnSuccess, OnError, OnCancel };
constexpr auto words_of(HookKind) {
    using enum HookKind;
    return words<HookKind>({{OnSuccess, "on_success"}, {OnError, "on_error"}, {OnCancel, "on_cancel"}});
}

/// A template whose value is null.
[[nodiscard]] const Template& null_template();

/// A step that is ready to run: names are resolved to numbers, texts are parsed into expressions.
struct PlannedStep {
    WorkflowStep definition = {};
    std::optional<HookKind> hook = {};
    std::vector<int> dependencies = {};  ///< by number, without duplicates
    std::vector<int> dependents = {};
    bool is_optional = false;                    ///< its failure does not fail the job
    Template input = null_template();            ///< the task's arguments, the child's input
    Template env = null_template();              ///< an object: the variables that override the specification's
    Template spec_texts = null_template();       ///< {"env": {...}, "command": [...]} of the specification
    Template concurrency_key = null_template();  ///< null: none
    Template text = null_template();             ///< an approval's message; a wait's duration or end
    std::optional<Template> for_each = {};
    std::optional<Template> when = {};
};

/// A planned workflow. Immutable: shared by all threads that advance its jobs.
struct WorkflowPlan {
    Workflow definition = {};                    ///< without its steps and hooks, which are in `steps`
    std::vector<PlannedStep> steps = {};         ///< as defined, followed by the hooks
    std::size_t step_count = 0;                  ///< without the hooks
    std::vector<int> roots = {};                 ///< steps without dependencies
    std::vector<std::vector<int>> success = {};  ///< the cases, by number
    Template output = null_template();
    std::optional<int> only_last = {};                  ///< the only step without dependents
    std::unordered_map<std::string, int> numbers = {};  ///< of the steps and hooks, by name

    [[nodiscard]] const PlannedStep& step(int number) const { return steps[static_cast<std::size_t>(number)]; }
    [[nodiscard]] std::optional<int> find_step(std::string_view name) const;
    [[nodiscard]] std::string name_of(int step, int item) const;  ///< "fetch", "fetch[3]"
    /// Parses a name that name_of returned.
    [[nodiscard]] std::optional<std::pair<int, int>> find_step_or_item(std::string_view name) const;
};

/// Plans a workflow. The error is the reason why it cannot be planned; workflow_faults reports the same fault.
[[nodiscard]] Result<WorkflowPlan, std::string> plan_workflow(const Workflow& workflow);

/// The plans of all workflows of a bundle.
struct BundlePlan {
    std::string main = {};
    std::map<std::string, WorkflowPlan> workflows = {};
    std::vector<std::string> queues = {};  ///< queues_of the bundle

    [[nodiscard]] const WorkflowPlan* find(const std::string& name) const;
};
[[nodiscard]] Result<BundlePlan, std::string> plan_bundle(std::string_view definition_text);

/// Counts how the dependencies of a step (or the items of a for_each) have ended so far.
struct EndCounts {
    int open = 0;  ///< not ended
    int succeeded = 0;
    int failed = 0;  ///< FAILED or CANCELLED
    int skipped = 0;

    friend bool operator==(const EndCounts&, const EndCounts&) = default;
};

enum class Resolution { Wait, Run, Skip };

/// Decides whether a step runs, is skipped or still waits, as early as the outcome is certain:
/// - All: Run when every dependency has succeeded; Skip as soon as one has ended otherwise.
/// - Any: Run at the first success; Skip when all have ended without one.
/// - Quorum: Run at the n-th success; Skip as soon as n can no longer be reached.
/// With `allow_failed_deps` a step is never skipped: when its join fails, it runs as soon as all of its dependencies
/// have ended. A step without dependencies runs.
[[nodiscard]] Resolution resolve(const Join& join, bool allow_failed_deps, const EndCounts& dependencies);

}  // namespace holdfast::core
