#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/workflow/order.h"
#include "core/workflow/workflow.h"

namespace holdfast::core {

/// Collects the faults of one workflow during the check.
class FaultList {
public:
    void add(std::string path, std::string problem) { faults_.push_back({std::move(path), std::move(problem)}); }
    /// Returns `; did you mean "fetch"?`, or an empty text. The search through all names is expensive, so it is done
    /// only for the first few words.
    [[nodiscard]] std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);
    [[nodiscard]] std::vector<WorkflowFault> take() { return std::move(faults_); }

private:
    std::vector<WorkflowFault> faults_;
    int suggestions_left_ = 20;
};

/// A step and its place in the definition, shared by the parts of the check. `path`: "steps.fetch",
/// "hooks.on_error[0]".
struct StepPlace {
    const WorkflowStep& step;
    std::string path;
    int number = -1;  ///< among the steps; -1: a hook
};

/// The names of steps or of input fields.
template <typename Named>
[[nodiscard]] std::vector<std::string> names_in(const std::vector<Named>& all) {
    std::vector<std::string> names;
    for (const Named& each : all) names.push_back(each.name);
    return names;
}

/// Returns why a value does not fit a field, as a continuation of the field's name: "must be a text, not 7". Returns
/// nullopt when the value fits.
[[nodiscard]] std::optional<std::string> misfit(const InputField& field, const nlohmann::json& value);

/// Checks each step on its own: names, kinds, missing and superfluous members, ranges.
void check_step(const StepPlace& place, FaultList& faults);
/// Checks every expression: its syntax and its references.
void check_expressions(const Workflow& workflow, const StepOrder& order, const std::vector<StepPlace>& places,
                       FaultList& faults);
/// Checks the workflows that it starts: each must exist, stay within the nesting limit and receive its input.
void check_children(const Workflow& workflow, const std::map<std::string, Workflow>& others,
                    const std::vector<StepPlace>& places, FaultList& faults);

}  // namespace holdfast::core
