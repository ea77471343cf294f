#include <algorithm>
#include <set>

#include "base/text.h"
#include "core/expression/template.h"
#include "core/json_text.h"
#include "core/workflow/check.h"

namespace holdfast::core {

namespace {

using nlohmann::json;

std::set<std::string> children_of(const Workflow& workflow) {
    std::set<std::string> children;
    for (const WorkflowStep& step : workflow.steps)
        if (step.kind == StepKind::Workflow) children.insert(step.workflow);
    return children;
}

/// Follows the child workflows of a workflow level by level, down to one level below the allowed nesting.
class Descent {
public:
    Descent(const Workflow& top, const std::map<std::string, Workflow>& others) : top_(top), others_(others) {}

    /// Returns the path to a level that is too deep, or back to the top; empty when every path is allowed.
    std::vector<std::string> forbidden_way() {
        std::vector<std::map<std::string, std::string>> levels{{{top_.name, ""}}};  // child -> its parent
        for (int depth = 1; depth <= max_job_depth + 1; ++depth) {
            std::map<std::string, std::string> next;
            for (const auto& [parent, ignored] : levels.back())
                for (const std::string& child : children_of_named(parent)) next.emplace(child, parent);
            levels.push_back(std::move(next));
            if (levels.back().contains(top_.name)) return way_to(top_.name, levels);
        }
        return levels.back().empty() ? std::vector<std::string>() : way_to(levels.back().begin()->first, levels);
    }

private:
    const std::set<std::string>& children_of_named(const std::string& name) {
        const auto [entry, is_new] = children_.try_emplace(name);
        if (!is_new) return entry->second;
        const auto other = others_.find(name);
        if (name == top_.name)
            entry->second = children_of(top_);
        else if (other != others_.end())
            entry->second = children_of(other->second);
        return entry->second;
    }

    static std::vector<std::string> way_to(std::string name,
                                           const std::vector<std::map<std::string, std::string>>& levels) {
        std::vector<std::string> way;
        for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
            way.push_back(name);
            name = level->at(name);
        }
        std::reverse(way.begin(), way.end());
        return way;
    }

    const Workflow& top_;
    const std::map<std::string, Workflow>& others_;
    std::map<std::string, std::set<std::string>> children_;
};

void check_nesting(const Workflow& workflow, const std::map<std::string, Workflow>& others,
                   const std::vector<StepPlace>& places, FaultList& faults) {
    const std::vector<std::string> way = Descent(workflow, others).forbidden_way();
    if (way.empty()) return;
    const auto starts_it = [&](const StepPlace& place) {
        return place.step.kind == StepKind::Workflow && place.step.workflow == way[1];
    };
    const std::string problem =
        way.back() == workflow.name
            ? concat("makes a cycle of workflows: ", join(way, " -> "))
            : concat("nests jobs deeper than ", max_job_depth, " levels: ", join(way, " -> "));
    faults.add(concat(std::ranges::find_if(places, starts_it)->path, ".workflow"), problem);
}

bool is_constant(const json& value) {
    const auto parsed = Template::parse(value);
    return parsed.ok() && parsed->is_constant();
}

/// Checks the child's input as far as the definition shows it: the members of an object, and their values where these
/// have no expressions.
void check_given_input(const StepPlace& place, const Workflow& child, FaultList& faults) {
    const std::string path = concat(place.path, ".input");
    const json none = json::object();
    const bool has_none = place.step.input.is_null() && !place.step.for_each;
    const json& given = has_none ? none : place.step.input;
    if (!given.is_object() || child.input.empty()) return;
    const std::vector<std::string> names = names_in(child.input);
    for (const InputField& field : child.input) {
        const auto value = given.find(field.name);
        if (value == given.end() && field.required)
            faults.add(path, concat("has no ", in_quotes(field.name), ", which the workflow ", in_quotes(child.name),
                                    " requires"));
        if (value == given.end() || !is_constant(*value)) continue;
        if (const auto fault = misfit(field, *value)) faults.add(concat(path, '.', field.name), *fault);
    }
    for (const auto& [name, value] : given.items())
        if (std::ranges::find(names, name) == names.end())
            faults.add(concat(path, '.', name), concat("is not an input of the workflow ", in_quotes(child.name),
                                                       faults.suggestion(name, names)));
}

}  // namespace

void check_children(const Workflow& workflow, const std::map<std::string, Workflow>& others,
                    const std::vector<StepPlace>& places, FaultList& faults) {
    std::vector<std::string> known;
    for (const auto& [name, other] : others) known.push_back(name);
    bool has_children = false;
    for (const StepPlace& place : places) {
        const std::string& name = place.step.workflow;
        if (place.step.kind != StepKind::Workflow || name.empty()) continue;
        has_children = true;
        const auto child = others.find(name);
        if (child != others.end())
            check_given_input(place, child->second, faults);
        else if (name != workflow.name)
            faults.add(concat(place.path, ".workflow"),
                       concat("names the workflow ", in_quotes(name), ", which does not exist",
                              faults.suggestion(name, known)));
    }
    if (has_children) check_nesting(workflow, others, places, faults);
}

}  // namespace holdfast::core
