#include <set>

#include "base/text.h"
#include "core/json_text.h"
#include "core/workflow/check.h"

namespace holdfast::core {

namespace {

constexpr std::size_t longest_named_cycle = 12;

/// "a -> b -> a"; the middle of a long cycle is left out.
std::string cycle_text(const Workflow& workflow, const std::vector<int>& cycle) {
    std::vector<std::string> names;
    for (const int step : cycle) names.push_back(workflow.steps[static_cast<std::size_t>(step)].name);
    names.push_back(names.front());
    if (names.size() > longest_named_cycle) {
        const auto kept = static_cast<std::ptrdiff_t>(longest_named_cycle / 2);
        const std::string gap = concat("(", names.size() - longest_named_cycle, " more)");
        names.erase(names.begin() + kept, names.end() - kept);
        names.insert(names.begin() + kept, gap);
    }
    return join(names, " -> ");
}

/// Checks lists of step names.
class NameCheck {
public:
    NameCheck(const Workflow& workflow, const StepOrder& order, FaultList& faults)
        : known_(names_in(workflow.steps)), order_(order), faults_(faults) {}

    void check(const std::vector<std::string>& names, const std::string& path) {
        std::set<std::string_view> seen;
        for (std::size_t i = 0; i < names.size(); ++i) {
            const bool is_new = seen.insert(names[i]).second;
            if (!is_new)
                complain(path, i, concat("names the step ", in_quotes(names[i]), " twice"));
            else if (order_.find(names[i]) == nullptr)
                complain(path, i,
                         concat("names the step ", in_quotes(names[i]), ", which does not exist",
                                faults_.suggestion(names[i], known_)));
        }
    }

private:
    void complain(const std::string& path, std::size_t item, std::string problem) {
        faults_.add(concat(path, '[', item, ']'), std::move(problem));
    }

    std::vector<std::string> known_;
    const StepOrder& order_;
    FaultList& faults_;
};

void check_join(const WorkflowStep& step, FaultList& faults) {
    const std::size_t dependencies =
        std::set<std::string_view>(step.depends_on.begin(), step.depends_on.end()).size();
    const std::string path = concat("steps.", step.name, ".join");
    const bool is_quorum = step.join.kind == JoinKind::Quorum;
    if (step.depends_on.empty()) {
        if (step.join.kind != JoinKind::All) faults.add(path, "has no meaning without depends_on");
        if (step.allow_failed_deps)
            faults.add(concat("steps.", step.name, ".allow_failed_deps"), "has no meaning without depends_on");
    } else if (is_quorum && step.join.quorum < 1) {
        faults.add(path, concat("asks for a quorum of ", step.join.quorum, "; at least 1 is needed"));
    } else if (is_quorum && static_cast<std::size_t>(step.join.quorum) > dependencies) {
        faults.add(path, concat("asks for a quorum of ", step.join.quorum, ", which is out of reach: it depends on ",
                                dependencies, dependencies == 1 ? " step" : " steps"));
    }
    if (!is_quorum && step.join.quorum != 0) faults.add(path, "has a quorum, but is none");
}

/// The path at which the step names the dependency.
std::string place_of_dependency(const WorkflowStep& step, const std::string& dependency) {
    for (std::size_t i = 0; i < step.depends_on.size(); ++i)
        if (step.depends_on[i] == dependency) return concat("steps.", step.name, ".depends_on[", i, ']');
    return concat("steps.", step.name, ".depends_on");
}

void check_cycles(const Workflow& workflow, const StepOrder& order, FaultList& faults) {
    for (const std::vector<int>& cycle : order.cycles()) {
        const WorkflowStep& first = workflow.steps[static_cast<std::size_t>(cycle.front())];
        const WorkflowStep& next = workflow.steps[static_cast<std::size_t>(cycle[cycle.size() > 1 ? 1 : 0])];
        faults.add(place_of_dependency(first, next.name), concat("makes a cycle: ", cycle_text(workflow, cycle)));
    }
}

}  // namespace

void check_dependencies(const Workflow& workflow, const StepOrder& order, FaultList& faults) {
    NameCheck names(workflow, order, faults);
    for (const WorkflowStep& step : workflow.steps) {
        names.check(step.depends_on, concat("steps.", step.name, ".depends_on"));
        check_join(step, faults);
    }
    check_cycles(workflow, order, faults);
    for (std::size_t i = 0; i < workflow.success.size(); ++i) {
        const std::string path = concat("success[", i, ']');
        if (workflow.success[i].empty()) faults.add(path, "is empty: it would always be met");
        names.check(workflow.success[i], path);
    }
    names.check(workflow.optional, "optional");
}

}  // namespace holdfast::core
