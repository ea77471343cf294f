#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/workflow/workflow.h"

namespace holdfast::core {

/// Which step of a workflow depends on which, by number: the place in the definition. Dependencies that do not exist
/// are left out, and each counts once. The workflow must outlive it.
class StepOrder {
public:
    explicit StepOrder(const Workflow& workflow);

    [[nodiscard]] std::size_t size() const { return dependencies_.size(); }
    /// nullptr when there is none; the first one of several with the same name.
    [[nodiscard]] const int* find(std::string_view name) const;
    [[nodiscard]] const std::vector<int>& dependencies(int step) const { return dependencies_[index(step)]; }
    [[nodiscard]] const std::vector<int>& dependents(int step) const { return dependents_[index(step)]; }
    /// Each after all that it depends on; steps on a cycle, and those that need one of them, are left out.
    [[nodiscard]] const std::vector<int>& sorted() const { return sorted_; }
    [[nodiscard]] bool is_sorted(int step) const { return is_sorted_[index(step)]; }
    /// One cycle for each knot of steps that depend on each other: each step depends on the next one, and the last
    /// on the first, which is the one that stands first in the definition.
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

/// One step, and another that it may only refer to if it depends on it, directly or not.
struct UpstreamQuestion {
    int step = 0;
    int upstream = 0;
};

/// The questions whose answer is no. Steps on a cycle, or behind one, are left out, because their intended order is
/// unknown.
[[nodiscard]] std::vector<bool> not_upstream(const StepOrder& order, const std::vector<UpstreamQuestion>& questions);

}  // namespace holdfast::core
