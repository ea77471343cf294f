#include "core/workflow/plan.h"

#include <charconv>

#include "base/assert.h"
#include "base/text.h"
#include "core/workflow/order.h"

namespace holdfast::core {

namespace {

using Json = nlohmann::json;

/// The reason why a workflow cannot be planned. Thrown and caught inside this file only.
struct NotPlannable {
    std::string why;
};

Template template_of(const Json& value, const std::string& step, std::string_view member) {
    if (value.is_null()) return null_template();
    auto parsed = Template::parse(value);
    if (parsed.ok()) return std::move(parsed).value();
    const auto& fault = parsed.error().front();
    throw NotPlannable{concat("step \"", step, "\": ", member, fault.path, ": ", fault.error.message)};
}

/// Accepts `when` with or without its braces.
Json whole_expression(const std::string& text) {
    return text.find("{{") == std::string::npos ? Json("{{ " + text + " }}") : Json(text);
}

Json spec_texts_of(const WorkflowStep& step) {
    if (!step.spec || (step.spec->env.empty() && step.spec->command.empty())) return nullptr;
    return {{"env", step.spec->env}, {"command", step.spec->command}};
}

Json text_of(const WorkflowStep& step) {
    const std::string& text = !step.message.empty() ? step.message : step.wait_for + step.wait_until;
    return text.empty() ? Json(nullptr) : Json(text);
}

PlannedStep planned(const WorkflowStep& step) {
    PlannedStep made;
    made.definition = step;
    made.input = template_of(step.input, step.name, "input");
    made.env = template_of(step.env.empty() ? Json(nullptr) : Json(step.env), step.name, "env");
    made.spec_texts = template_of(spec_texts_of(step), step.name, "");
    made.concurrency_key = template_of(step.concurrency_key.empty() ? Json(nullptr) : Json(step.concurrency_key),
                                       step.name, "concurrency_key");
    made.text = template_of(text_of(step), step.name, "text");
    if (step.for_each) made.for_each = template_of(*step.for_each, step.name, "for_each");
    if (!step.when.empty()) made.when = template_of(whole_expression(step.when), step.name, "when");
    return made;
}

void add_step(WorkflowPlan& plan, PlannedStep step) {
    const int number = static_cast<int>(plan.steps.size());
    if (!plan.numbers.emplace(step.definition.name, number).second)
        throw NotPlannable{concat("two steps are named \"", step.definition.name, "\"")};
    plan.steps.push_back(std::move(step));
}

int number_of(const WorkflowPlan& plan, const std::string& name) {
    const auto number = plan.find_step(name);
    if (!number || plan.step(*number).hook) throw NotPlannable{concat("there is no step \"", name, "\"")};
    return *number;
}

/// Refuses unknown dependencies, and a cycle, because a job with one would never end.
void link_steps(WorkflowPlan& plan, const Workflow& workflow) {
    const StepOrder order(workflow);
    for (int number = 0; number < static_cast<int>(plan.step_count); ++number) {
        auto& step = plan.steps[static_cast<std::size_t>(number)];
        for (const auto& name : step.definition.depends_on) number_of(plan, name);
        step.dependencies = order.dependencies(number);
        step.dependents = order.dependents(number);
        if (step.dependencies.empty()) plan.roots.push_back(number);
    }
    if (order.sorted().size() != plan.step_count) throw NotPlannable{"its steps depend on each other in a circle"};
}

void add_hooks(WorkflowPlan& plan, const std::vector<WorkflowStep>& hooks, HookKind kind) {
    for (std::size_t i = 0; i < hooks.size(); ++i) {
        auto hook = planned(hooks[i]);
        hook.hook = kind;
        hook.definition.name = hooks.size() == 1 ? std::string(word_of(kind)) : concat(word_of(kind), "-", i + 1);
        add_step(plan, std::move(hook));
    }
}

void find_only_last(WorkflowPlan& plan) {
    int last = 0;
    for (int number = 0; number < static_cast<int>(plan.step_count); ++number) {
        if (!plan.step(number).dependents.empty()) continue;
        plan.only_last = number;
        ++last;
    }
    if (last != 1) plan.only_last.reset();
}

WorkflowPlan make_plan(const Workflow& workflow) {
    if (workflow.steps.empty()) throw NotPlannable{"it has no steps"};
    if (workflow.steps.size() > max_workflow_steps) throw NotPlannable{"it has too many steps"};
    WorkflowPlan plan;
    plan.definition = workflow;
    plan.definition.steps.clear();
    plan.step_count = workflow.steps.size();
    for (const auto& step : workflow.steps) add_step(plan, planned(step));
    link_steps(plan, workflow);
    for (const auto& name : workflow.optional)
        plan.steps[static_cast<std::size_t>(number_of(plan, name))].is_optional = true;
    for (const auto& names : workflow.success) {
        auto& numbers = plan.success.emplace_back();
        for (const auto& name : names) numbers.push_back(number_of(plan, name));
    }
    find_only_last(plan);
    plan.output = template_of(workflow.output, "", "output");
    add_hooks(plan, workflow.on_success, HookKind::OnSuccess);
    add_hooks(plan, workflow.on_failure, HookKind::OnError);
    add_hooks(plan, workflow.on_cancel, HookKind::OnCancel);
    return plan;
}

int wanted(const Join& join, const EndCounts& dependencies) {
    const int all = dependencies.open + dependencies.succeeded + dependencies.failed + dependencies.skipped;
    switch (join.kind) {
        case JoinKind::All:
            return all;
        case JoinKind::Any:
            return all == 0 ? 0 : 1;
        case JoinKind::Quorum:
            return join.quorum;
    }
    HOLDFAST_ASSERT(false);
}

}  // namespace

const Template& null_template() {
    static const Template nothing = Template::parse(nullptr).value();
    return nothing;
}

std::optional<int> WorkflowPlan::find_step(std::string_view name) const {
    const auto found = numbers.find(std::string(name));
    if (found == numbers.end()) return std::nullopt;
    return found->second;
}

std::string WorkflowPlan::name_of(int number, int item) const {
    if (number < 0 || number >= static_cast<int>(steps.size())) return concat("#", number);
    const auto& name = step(number).definition.name;
    return item < 0 ? name : concat(name, "[", item, "]");
}

std::optional<std::pair<int, int>> WorkflowPlan::find_step_or_item(std::string_view name) const {
    int item = -1;
    const auto bracket = name.find('[');
    if (bracket != std::string_view::npos) {
        if (name.back() != ']') return std::nullopt;
        const char* const end = name.data() + name.size() - 1;
        const auto read = std::from_chars(name.data() + bracket + 1, end, item);
        if (read.ec != std::errc() || read.ptr != end || item < 0) return std::nullopt;
        name = name.substr(0, bracket);
    }
    const auto number = find_step(name);
    if (!number) return std::nullopt;
    return std::pair(*number, item);
}

Result<WorkflowPlan, std::string> plan_workflow(const Workflow& workflow) {
    try {
        return make_plan(workflow);
    } catch (const NotPlannable& fault) {
        return Failure{concat("workflow \"", workflow.name, "\": ", fault.why)};
    }
}

const WorkflowPlan* BundlePlan::find(const std::string& name) const {
    const auto found = workflows.find(name);
    return found == workflows.end() ? nullptr : &found->second;
}

Result<BundlePlan, std::string> plan_bundle(std::string_view definition_text) {
    auto bundle = parse_workflow_bundle(definition_text);
    if (!bundle.ok()) return Failure{bundle.error()};
    BundlePlan made;
    made.main = bundle->main;
    made.queues = queues_of(*bundle);
    for (const auto& [name, workflow] : bundle->workflows) {
        auto plan = plan_workflow(workflow);
        if (!plan.ok()) return Failure{plan.error()};
        made.workflows.emplace(name, std::move(plan).value());
    }
    if (!made.find(made.main)) return Failure{concat("there is no workflow \"", made.main, "\" in it")};
    for (const auto& [name, plan] : made.workflows)
        for (const auto& step : plan.steps)
            if (step.definition.kind == StepKind::Workflow && !made.find(step.definition.workflow))
                return Failure{concat("workflow \"", name, "\" starts \"", step.definition.workflow,
                                      "\", which is not in the definition")};
    return made;
}

Resolution resolve(const Join& join, bool allow_failed_deps, const EndCounts& dependencies) {
    const int needed = wanted(join, dependencies);
    if (dependencies.succeeded >= needed) return Resolution::Run;
    if (dependencies.succeeded + dependencies.open >= needed) return Resolution::Wait;
    if (!allow_failed_deps) return Resolution::Skip;
    return dependencies.open == 0 ? Resolution::Run : Resolution::Wait;
}

}  // namespace holdfast::core
