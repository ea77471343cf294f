#include "core/workflow/check.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <unordered_map>

#include "base/text.h"
#include "core/json_text.h"

namespace holdfast::core {

namespace {

constexpr std::size_t max_step_name_bytes = 100;  // so that "WORKFLOW.STEP" is a valid task name
constexpr Duration longest_job = std::chrono::hours(24 * 365);

bool is_name(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
        return (c < 0x80 && std::isalnum(c) != 0) || c == '_' || c == '-';
    });
}

std::string name_fault(std::string_view name) {
    if (name.size() > max_step_name_bytes) return concat("is longer than ", max_step_name_bytes, " bytes");
    if (!is_name(name)) return "is not a name: names are of letters, digits, _ and -";
    return {};
}

/// Names that are taken by the server's own log and by the hooks of a job.
bool is_reserved(std::string_view name) {
    const auto is_hook = [&](std::string_view hook) {
        return name == hook || (name.starts_with(hook) && name.substr(hook.size()).starts_with('-'));
    };
    return name == "_server" || is_hook("on_success") || is_hook("on_error") || is_hook("on_cancel");
}

std::vector<StepPlace> places_of(const Workflow& workflow) {
    std::vector<StepPlace> places;
    places.reserve(workflow.steps.size());
    for (const WorkflowStep& step : workflow.steps)
        places.push_back({step, concat("steps.", step.name), static_cast<int>(places.size())});
    const auto add_hooks = [&](std::string_view name, const std::vector<WorkflowStep>& hooks) {
        for (std::size_t i = 0; i < hooks.size(); ++i)
            places.push_back({hooks[i], concat("hooks.", name, '[', i, ']')});
    };
    add_hooks("on_success", workflow.on_success);
    add_hooks("on_error", workflow.on_failure);
    add_hooks("on_cancel", workflow.on_cancel);
    return places;
}

void check_workflow_name(const Workflow& workflow, FaultList& faults) {
    if (const std::string fault = name_fault(workflow.name); !fault.empty()) faults.add("name", fault);
    if (const auto defect = text_defect(workflow.description)) faults.add("description", *defect);
}

void check_step_names(const std::vector<StepPlace>& places, FaultList& faults) {
    std::unordered_map<std::string_view, int> seen;
    for (const StepPlace& place : places) {
        if (place.number < 0) continue;
        const std::string& name = place.step.name;
        if (const std::string fault = name_fault(name); !fault.empty()) faults.add(place.path, fault);
        if (is_reserved(name)) faults.add(place.path, "is a name that Holdfast keeps for itself");
        if (!seen.emplace(name, place.number).second) faults.add(place.path, "is the name of an earlier step, too");
    }
}

void check_length(std::string_view path, const std::optional<Duration>& length, FaultList& faults) {
    if (!length) return;
    const bool fits = *length >= std::chrono::milliseconds(1) && *length <= longest_job;
    if (!fits) faults.add(std::string(path), concat("must be from 1ms to ", format_duration(longest_job)));
    if (*length % std::chrono::milliseconds(1) != Duration(0))
        faults.add(std::string(path), "must be in whole milliseconds");
}

void check_count(const Workflow& workflow, FaultList& faults) {
    if (workflow.steps.empty()) faults.add("steps", "are missing: a workflow has at least one");
    if (workflow.steps.size() > max_workflow_steps)
        faults.add("steps", concat("are ", workflow.steps.size(), "; at most ", max_workflow_steps, " are allowed"));
}

void check_input_fields(const Workflow& workflow, FaultList& faults) {
    std::unordered_map<std::string_view, int> seen;
    for (const InputField& field : workflow.input) {
        const std::string path = concat("input.", field.name);
        const InputField of_its_type{.name = {}, .type = field.type};
        if (const std::string fault = name_fault(field.name); !fault.empty()) faults.add(path, fault);
        if (!seen.emplace(field.name, 0).second) faults.add(path, "is defined twice");
        for (std::size_t i = 0; i < field.allowed.size(); ++i)
            if (const auto fault = misfit(of_its_type, field.allowed[i]))
                faults.add(concat(path, ".enum[", i, ']'), *fault);
        if (!field.default_value) continue;
        if (field.required) faults.add(concat(path, ".default"), "has no use: the input is required");
        if (const auto fault = misfit(field, *field.default_value)) faults.add(concat(path, ".default"), *fault);
    }
}

void check_hook(const StepPlace& place, FaultList& faults) {
    const WorkflowStep& hook = place.step;
    const auto refuse = [&](bool is_there, std::string_view member) {
        if (is_there) faults.add(concat(place.path, '.', member), "has no meaning for a hook");
    };
    if (hook.kind != StepKind::Task) return faults.add(place.path, "is not a task: hooks are tasks");
    refuse(!hook.depends_on.empty(), "depends_on");
    refuse(hook.join != Join{}, "join");
    refuse(hook.allow_failed_deps, "allow_failed_deps");
    refuse(!hook.when.empty(), "when");
    refuse(hook.for_each.has_value(), "for_each");
}

// ---- Dependencies ------------------------------------------------------------------------------------------------

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

}  // namespace

std::string FaultList::suggestion(std::string_view word, const std::vector<std::string>& candidates) {
    if (suggestions_left_-- <= 0) return {};
    const auto near = nearest_word(word, candidates);
    return near ? concat("; did you mean ", in_quotes(*near), "?") : std::string();
}

std::vector<WorkflowFault> workflow_faults(const Workflow& workflow, const std::map<std::string, Workflow>& others) {
    FaultList faults;
    const std::vector<StepPlace> places = places_of(workflow);
    const StepOrder order(workflow);
    check_workflow_name(workflow, faults);
    check_count(workflow, faults);
    check_length("timeout", workflow.timeout, faults);
    check_length("queue_timeout", workflow.queue_timeout, faults);
    check_input_fields(workflow, faults);
    check_step_names(places, faults);
    for (const StepPlace& place : places) {
        check_step(place, faults);
        if (place.number < 0) check_hook(place, faults);
    }
    check_dependencies(workflow, order, faults);
    check_expressions(workflow, order, places, faults);
    check_children(workflow, others, places, faults);
    return faults.take();
}

}  // namespace holdfast::core
