#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/workflow/order.h"
#include "core/workflow/workflow.h"

namespace holdfast::core {

/// The faults of one workflow while they are being found.
class FaultList {
public:
    void add(std::string path, std::string problem) { faults_.push_back({std::move(path), std::move(problem)}); }
    /// `; did you mean "fetch"?`, or nothing. The search through all names is expensive, so it is made only for the
    /// first few words.
    [[nodiscard]] std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);
    [[nodiscard]] std::vector<WorkflowFault> take() { return std::move(faults_); }

private:
    std::vector<WorkflowFault> faults_;
    int suggestions_left_ = 20;
};

/// What the parts of the check share. `path` is the step's: "steps.fetch", "hooks.on_error[0]".
struct StepPlace {
    const WorkflowStep& step;
    std::string path;
    int number = -1;  ///< among the steps; -1: a hook
};

[[nodiscard]] std::vector<std::string> step_names(const Workflow& workflow);

/// What a step shows by itself: names, kinds, missing and needless members, ranges.
void check_step(const StepPlace& place, FaultList& faults);
/// The schema of the workflow's input.
void check_input_fields(const Workflow& workflow, FaultList& faults);
/// Dependencies and joins, cycles, success cases and optional steps.
void check_dependencies(const Workflow& workflow, const StepOrder& order, FaultList& faults);
/// Every expression: its form, and what it refers to.
void check_expressions(const Workflow& workflow, const StepOrder& order, const std::vector<StepPlace>& places,
                       FaultList& faults);
/// The workflows that it starts: they must exist, must not be nested too deep, and must get their inputs.
void check_children(const Workflow& workflow, const std::map<std::string, Workflow>& others,
                    const std::vector<StepPlace>& places, FaultList& faults);

}  // namespace holdfast::core
