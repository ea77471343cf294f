#include "store/jobs/step_infos.h"

#include "base/text.h"
#include "store/jobs/job_scope.h"

namespace holdfast::store {

namespace {

using Json = nlohmann::json;
using core::StepKind;

StepState shown_state(const ReadStep& step) {
    const bool has_begun = step.task_runs || step.ended_runs > 0;
    return step.row.state == StepState::Ready && has_begun ? StepState::Running : step.row.state;
}

std::string output_text(const ReadStep& step) {
    if (step.row.state != StepState::Completed) return "";
    if (!step.row.output.empty()) return step.row.output;
    return step.row.child.is_nil() ? step.task_result : step.child_output;
}

StepInfo info_of(const ReadStep& step) {
    StepInfo info;
    info.step = step.row.key.step;
    info.item = step.row.key.item;
    info.state = shown_state(step);
    info.task = step.row.task;
    info.child = step.row.child;
    info.attempts = step.ended_runs + (step.task_runs ? 1 : 0);
    info.ready_at = step.row.ready_at;
    info.started_at = step.row.child.is_nil() ? step.task_started_at : step.child_started_at;
    info.finished_at = step.row.finished_at;
    info.wakes_at = step.row.wakes_at;
    info.output = output_text(step);
    info.error = step.row.error ? step.row.error : step.task_error;
    info.progress = step.progress;
    return info;
}

/// Adds what the definition says about the step.
void describe(StepInfo& info, const ReadStep& step, const core::PlannedStep& planned) {
    info.hook = planned.hook.has_value();
    info.kind = word_of(planned.definition.kind);
    const bool is_whole_for_each = planned.for_each && info.item < 0;
    const bool begins_at_once =
        planned.definition.kind == StepKind::Approval || planned.definition.kind == StepKind::Wait;
    if ((begins_at_once || is_whole_for_each) && info.state != StepState::Skipped) info.started_at = info.ready_at;
    if (planned.definition.kind != StepKind::Approval || is_whole_for_each) return;
    const Json message = read_stored(step.row.value);
    if (message.is_string()) info.message = message.get<std::string>();
}

/// A for_each of which nothing was adopted has its output in its items.
void gather_outputs(StepInfo& whole, const std::vector<ReadStep>& rows, std::size_t first_item) {
    if (whole.state != StepState::Completed || !whole.output.empty()) return;
    Json outputs = Json::array();
    for (auto i = first_item; i < rows.size() && rows[i].row.key.step == whole.step; ++i) {
        const auto text = output_text(rows[i]);
        outputs.push_back(text.empty() ? Json() : read_stored(text));
    }
    whole.output = text_of(outputs);
}

const core::PlannedStep* planned_step(const core::WorkflowPlan* plan, int step) {
    return plan != nullptr && step >= 0 && step < std::ssize(plan->steps) ? &plan->step(step) : nullptr;
}

}  // namespace

std::vector<StepInfo> step_infos(const std::vector<ReadStep>& rows, const core::WorkflowPlan* plan, bool with_items) {
    std::vector<StepInfo> infos;
    std::size_t whole = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        auto info = info_of(rows[i]);
        const auto* const planned = planned_step(plan, info.step);
        info.name = step_name(plan, info.step, info.item);
        if (planned != nullptr) describe(info, rows[i], *planned);
        if (info.item >= 0 && !infos.empty()) add_to(infos[whole].items, info.state, 1);
        if (info.item >= 0 && !with_items) continue;
        infos.push_back(std::move(info));
        if (infos.back().item >= 0) continue;
        whole = infos.size() - 1;
        if (planned != nullptr && planned->for_each) gather_outputs(infos[whole], rows, i + 1);
    }
    return infos;
}

JobInfo job_info(const JobRow& job) {
    const auto& [head, progress] = job;
    JobInfo info;
    info.id = head.id;
    info.workflow = head.workflow;
    info.state = progress.state;
    info.input = head.input;
    info.output = progress.output;
    info.error = progress.error;
    info.cancel_requested = !progress.cancel_code.empty();
    info.created_at = head.created_at;
    info.started_at = progress.started_at;
    info.finished_at = progress.finished_at;
    info.deadline = progress.deadline;
    info.root = head.root;
    info.parent = head.parent ? head.parent->job : Uuid();
    info.depth = head.depth;
    info.retry_of = head.retry_of;
    return info;
}

std::string step_name(const core::WorkflowPlan* plan, int step, int item) {
    if (planned_step(plan, step) != nullptr) return plan->name_of(step, item);
    return item < 0 ? concat("#", step) : concat("#", step, "[", item, "]");
}

bool is_approval(const core::WorkflowPlan* plan, int step, bool is_item) {
    const auto* const planned = planned_step(plan, step);
    if (planned == nullptr || planned->definition.kind != StepKind::Approval) return false;
    return is_item || !planned->for_each;
}

void add_to(StepCounts& counts, StepState state, int number) {
    using enum StepState;
    using Counts = StepCounts;
    constexpr std::pair<StepState, int Counts::*> members[] = {
        {Waiting, &Counts::waiting},     {Ready, &Counts::ready},   {Running, &Counts::running},
        {Completed, &Counts::completed}, {Failed, &Counts::failed}, {Skipped, &Counts::skipped},
        {Cancelled, &Counts::cancelled}};
    for (const auto& [counted, member] : members)
        if (counted == state) counts.*member += number;
}

}  // namespace holdfast::store
