#include "proof/sim/job_shapes.h"

#include "base/text.h"
#include "proof/sim/plan.h"

namespace holdfast::sim {

namespace {

using namespace std::chrono_literals;
using core::StepKind;
using core::Workflow;
using core::WorkflowStep;

Duration whole_seconds(Dice& dice, Duration least, Duration most) {
    return std::chrono::ceil<std::chrono::seconds>(dice.logarithmic(least, most));
}

TaskPolicy draw_policy(Dice& dice) {
    TaskPolicy policy;
    if (dice.chance(0.3)) policy.retry.max_attempts = dice.between(2, 3);
    if (dice.chance(0.4)) policy.on_crash = OnCrash::Requeue;
    if (dice.chance(0.2)) policy.timeout = whole_seconds(dice, 1s, 2min);
    return policy;
}

void draw_items(Dice& dice, WorkflowStep& step) {
    nlohmann::json items = nlohmann::json::array();
    for (int count = dice.between(0, 4); count > 0; --count) items.push_back(count);
    step.for_each = items;
    if (dice.chance(0.3)) {
        step.sequential = true;
    } else if (dice.chance(0.4)) {
        step.parallel = dice.between(1, 3);
    }
}

WorkflowStep task_step(Dice& dice, const std::string& name, const std::vector<std::string>& queues) {
    WorkflowStep step;
    step.name = name;
    step.task = "work";
    step.queue = dice.pick(queues);
    step.policy = draw_policy(dice);
    return step;
}

void draw_kind(Dice& dice, WorkflowStep& step, const std::vector<std::string>& keys, bool has_child) {
    const std::size_t kind = dice.below(20);
    if (kind == 0 && has_child) {
        const TaskPolicy none;
        step.kind = StepKind::Workflow;
        step.task.clear();
        step.workflow = "child";
        step.policy = none;
        return;
    }
    if (kind == 1) {
        step.kind = StepKind::Wait;
        step.task.clear();
        step.policy = {};
        step.wait_for = format_duration(whole_seconds(dice, 1s, 60s));
        return;
    }
    if (kind == 2) {
        step.kind = StepKind::Approval;
        step.task.clear();
        step.policy = {};
        step.message = "may it?";
        if (dice.chance(0.5)) step.policy.timeout = whole_seconds(dice, 5s, 2min);
        return;
    }
    if (kind < 6) draw_items(dice, step);
    if (!keys.empty() && dice.chance(0.2)) {
        step.concurrency_key = dice.pick(keys);
        step.concurrency_limit = dice.between(1, most_asked);
    }
}

void draw_join(Dice& dice, WorkflowStep& step, int number) {
    for (int before = 1; before < number; ++before)
        if (dice.chance(0.4)) step.depends_on.push_back(concat("s", before));
    const auto count = static_cast<int>(step.depends_on.size());
    if (count > 1 && dice.chance(0.3)) step.join = {core::JoinKind::Any, 0};
    if (count > 1 && dice.chance(0.2)) step.join = {core::JoinKind::Quorum, dice.between(1, count)};
    if (count > 0 && dice.chance(0.2)) step.allow_failed_deps = true;
}

std::vector<WorkflowStep> draw_hooks(Dice& dice, const std::vector<std::string>& queues) {
    std::vector<WorkflowStep> hooks;
    for (int count = dice.chance(0.3) ? dice.between(1, 2) : 0; count > 0; --count)
        hooks.push_back(task_step(dice, "", queues));
    return hooks;
}

Workflow draw_one(Dice& dice, const std::string& name, int most_steps, const std::vector<std::string>& queues,
                  const std::vector<std::string>& keys, bool has_child) {
    Workflow workflow;
    workflow.name = name;
    const int count = dice.between(1, most_steps);
    for (int number = 1; number <= count; ++number) {
        WorkflowStep step = task_step(dice, concat("s", number), queues);
        draw_kind(dice, step, keys, has_child);
        draw_join(dice, step, number);
        workflow.steps.push_back(std::move(step));
    }
    const std::size_t on_error = dice.below(4);
    if (on_error == 0) workflow.on_error = core::OnError::Continue;
    if (on_error == 1) workflow.on_error = core::OnError::Pause;
    if (dice.chance(0.1)) workflow.timeout = whole_seconds(dice, 5s, 10min);
    workflow.on_success = draw_hooks(dice, queues);
    workflow.on_failure = draw_hooks(dice, queues);
    workflow.on_cancel = draw_hooks(dice, queues);
    return workflow;
}

}  // namespace

core::WorkflowBundle draw_workflow(Dice& dice, const std::vector<std::string>& queues,
                                   const std::vector<std::string>& keys) {
    std::map<std::string, Workflow> all;
    all["main"] = draw_one(dice, "main", 6, queues, keys, true);
    all["child"] = draw_one(dice, "child", 3, queues, keys, false);
    return core::bundle_of("main", all);
}

core::WorkflowBundle draw_small_workflow(Dice& dice, const std::vector<std::string>& queues) {
    return core::bundle_of("main", {{"main", draw_one(dice, "main", 2, queues, {}, false)}});
}

int number_of_step(const Workflow& workflow, const std::string& name) {
    for (std::size_t i = 0; i < workflow.steps.size(); ++i)
        if (workflow.steps[i].name == name) return static_cast<int>(i);
    return -1;
}

}  // namespace holdfast::sim
