#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/workflow/workflow.h"

namespace holdfast::core {

/// The dependencies between the steps of a workflow, by number: the position in the definition. Unknown dependencies
/// are left out, and duplicates count once. The workflow must outlive this object.
class StepOrder {
public:
    explicit StepOrder(const Workflow& workflow);

    [[nodiscard]] std::size_t size() const { return dependencies_.size(); }
    /// Returns the number of the step with that name, or of the first one when several share it; nullptr when the
    /// name is unknown.
    [[nodiscard]] const int* find(std::string_view name) const;
    [[nodiscard]] const std::vector<int>& dependencies(int step) const { return dependencies_[index(step)]; }
    [[nodiscard]] const std::vector<int>& dependents(int step) const { return dependents_[index(step)]; }
    /// The steps in an order where each comes after its dependencies. Steps on a cycle, and their dependents, are
    /// left out.
    [[nodiscard]] const std::vector<int>& sorted() const { return sorted_; }
    [[nodiscard]] bool is_sorted(int step) const { return is_sorted_[index(step)]; }
    /// Returns one cycle for each group of steps that depend on each other. Each step of a cycle depends on the next
    /// one, and the last on the first, which is the earliest of them in the definition.
    [[nodiscard]] std::vector<std::vector<int>> cycles() const;

private:
    static std::size_t index(int step) { return static_cast<std::size_t>(step); }
    void note_dependencies(const Workflow& workflow);
    void sort();
    [[nodiscard]] int open_dependency(int step) const;

    std::unordered_map<std::string_view, int> numbers_;
    std::vector<std::vector<int>> dependencies_;
    std::vector<std::vector<int>> dependents_;
    std::vector<int> sorted_;
    std::vector<bool> is_sorted_;
};

/// Asks whether `step` depends on `upstream`, directly or indirectly; only then may it refer to that step.
struct UpstreamQuestion {
    int step = 0;
    int upstream = 0;
};

/// Returns true for each question whose answer is no. Steps on a cycle, or behind one, are skipped, because their
/// intended order is unknown.
[[nodiscard]] std::vector<bool> not_upstream(const StepOrder& order, const std::vector<UpstreamQuestion>& questions);

}  // namespace holdfast::core
