#include <algorithm>

#include "base/text.h"
#include "store/jobs/job_scope.h"
#include "store/jobs/orchestrator.h"

namespace holdfast::store {

namespace {

std::optional<TaskError> synthesised(std::string_view code, std::string_view message) {
    return TaskError{std::string(code), std::string(message), R"({"recovery":"repair"})"};
}

/// The error that stands for a stored result or error that is missing or unreadable; nullopt: it is whole.
std::optional<TaskError> missing_part(const JobTables::TaskEnd& end) {
    if (end.state == TaskState::Completed) {
        if (!end.result)
            return synthesised(error_code::result_not_available, "Its task completed, but left no result");
        if (!nlohmann::json::accept(*end.result))
            return synthesised(error_code::worker_crashed, "Its task's stored result cannot be read");
        return std::nullopt;
    }
    if (end.error && !end.error->code.empty()) return std::nullopt;
    if (end.state == TaskState::Cancelled) return synthesised(error_code::task_cancelled, "Its task was cancelled");
    if (end.state == TaskState::Expired) return synthesised(error_code::task_expired, "Its task expired");
    return synthesised(error_code::worker_crashed, "Its task failed and left no error");
}

StepState repaired_state(const JobTables::TaskEnd& end, bool is_whole) {
    if (end.state == TaskState::Completed) return is_whole ? StepState::Completed : StepState::Failed;
    return end.state == TaskState::Cancelled ? StepState::Cancelled : StepState::Failed;
}

}  // namespace

void Orchestrator::repair(const Uuid& job, RepairAnswer& answer) {
    const JobRow* const row = book_.find_job(job);
    if (!row || is_terminal(row->progress.state)) return;
    std::vector<const StepRow*> steps;
    for (const auto* step : book_.all_steps(job))
        if (step->key.step < static_cast<int>(plan_of(*row).step_count)) steps.push_back(step);
    recount(job, steps);
    std::vector<const StepRow*> with_items = steps;
    for (const auto* step : steps) {
        if (step->state != StepState::Running || !step_of(step->key).for_each) continue;
        const auto items = book_.items(job, step->key.step);
        with_items.insert(with_items.end(), items.begin(), items.end());
    }
    for (const auto* step : steps) repair_waiting(*step, answer);
    for (const auto* step : steps) repair_for_each(*step, answer);
    for (const auto* step : with_items) repair_ready(*step, answer);
    repair_tasks(with_items, answer);
    repair_children(with_items, answer);
    if (row->progress.open_steps > 0) return;
    all_ended_.insert(job);
    ++answer.completed;
    note(job, "repaired", "All steps had ended, but not the job");
}

/// Counts the job's steps anew.
void Orchestrator::recount(const Uuid& job, const std::vector<const StepRow*>& steps) {
    int open = 0, failed = 0, first_failed = -1;
    for (const auto* step : steps) {
        if (!is_terminal(step->state)) ++open;
        const bool counts = step->state == StepState::Failed || step->state == StepState::Cancelled;
        if (!counts || step_of(step->key).is_optional) continue;
        ++failed;
        if (first_failed < 0) first_failed = step->key.step;
    }
    const auto& progress = book_.find_job(job)->progress;
    if (progress.open_steps == open && progress.failed_steps == failed) return;
    auto& changed = book_.change_job(job);
    changed.open_steps = open;
    changed.failed_steps = failed;
    if (changed.first_failed < 0) changed.first_failed = first_failed;
}

void Orchestrator::repair_tasks(const std::vector<const StepRow*>& steps, RepairAnswer& answer) {
    std::vector<Uuid> tasks;
    std::map<Uuid, StepKey> owners;
    for (const auto* step : steps) {
        if (is_terminal(step->state) || step->task.is_nil()) continue;
        tasks.push_back(step->task);
        owners[step->task] = step->key;
    }
    if (tasks.empty()) return;
    for (const auto& end : tables_.task_ends(tasks)) {
        const auto& key = owners[end.task];
        const auto missing = missing_part(end);
        if (end.state != TaskState::Cancelled) begin_job(key.job);
        end_step(key, {repaired_state(end, !missing), missing});
        ++answer.replayed;
        note(key.job, "repaired",
             concat("Step ", name_of(key), " had not heard that its task is ", to_text(end.state)));
    }
    const auto existing = tables_.existing_tasks(tasks);
    const std::set<Uuid> known(existing.begin(), existing.end());
    for (const auto& task : tasks) {
        if (known.contains(task)) continue;
        end_step(owners[task],
                 {StepState::Failed, synthesised(error_code::result_not_available, "Its task is gone")});
        ++answer.replayed;
        note(owners[task].job, "repaired", concat("The task of step ", name_of(owners[task]), " is gone"));
    }
}

void Orchestrator::repair_children(const std::vector<const StepRow*>& steps, RepairAnswer& answer) {
    for (const auto* step : steps) {
        if (is_terminal(step->state) || step->child.is_nil()) continue;
        const JobRow* const child = book_.find_job(step->child);
        if (child && !is_terminal(child->progress.state)) continue;
        note(step->key.job, "repaired",
             concat("Step ", name_of(step->key), " had not heard that its child job is ",
                    child ? to_text(child->progress.state) : "gone"));
        ++answer.children;
        if (child)
            tell_parent(*child);
        else
            end_step(step->key,
                     {StepState::Failed, synthesised(error_code::result_not_available, "Its child job is gone")});
    }
}

void Orchestrator::repair_for_each(const StepRow& step, RepairAnswer& answer) {
    if (step.state != StepState::Running || !step_of(step.key).for_each) return;
    core::EndCounts ends;
    int under_way = 0;
    for (const auto* item : book_.items(step.key.job, step.key.step)) {
        if (!is_terminal(item->state)) ++ends.open;
        if (!is_terminal(item->state) && item->ready_at) ++under_way;
        count_end(ends, item->state);
    }
    if (ends == step.ends && under_way == step.under_way && ends.open > 0) return;
    auto& changed = book_.change_step(step.key);
    changed.ends = ends;
    changed.under_way = under_way;
    ++answer.resolved;
    note(step.key.job, "repaired", concat("Step ", name_of(step.key), " had miscounted its items"));
    ends.open == 0 ? finish_for_each(step.key) : dispatch_items(step.key);
}

void Orchestrator::repair_waiting(const StepRow& step, RepairAnswer& answer) {
    if (step.state != StepState::Waiting) return;
    core::EndCounts ends;
    const StepRow* last = nullptr;
    for (const int dependency : step_of(step.key).dependencies) {
        const StepRow* const row = book_.find_step({step.key.job, dependency, -1});
        const bool has_ended = row && is_terminal(row->state) &&
                               std::ranges::find(ended_, StepKey{step.key.job, dependency, -1}) == ended_.end();
        if (!has_ended) {
            ++ends.open;
            continue;
        }
        count_end(ends, row->state);
        if (!last || row->state != StepState::Completed) last = row;
    }
    const auto& definition = step_of(step.key).definition;
    const auto resolution = core::resolve(definition.join, definition.allow_failed_deps, ends);
    if (ends == step.ends && resolution == core::Resolution::Wait) return;
    auto& changed = book_.change_step(step.key);
    changed.ends = ends;
    ++answer.resolved;
    note(step.key.job, "repaired", concat("Step ", name_of(step.key), " had not heard what it waits for"));
    if (resolution == core::Resolution::Run) {
        changed.state = StepState::Ready;
        changed.ready_at = setting_.now;
        resolved_.push_back(step.key);
    } else if (resolution == core::Resolution::Skip) {
        end_step(step.key, {StepState::Skipped, std::nullopt});
    }
}

/// A step that is READY without a task; or RUNNING without a child, items or a time that could end it.
void Orchestrator::repair_ready(const StepRow& step, RepairAnswer& answer) {
    const auto& job = book_.find_job(step.key.job)->progress;
    if (job.state == JobState::Paused || !step.task.is_nil() || !step.child.is_nil()) return;
    const auto& planned = step_of(step.key);
    const bool is_expanded = planned.for_each && step.key.item < 0;
    const bool needs_child = planned.definition.kind == core::StepKind::Workflow && !is_expanded;
    const bool needs_time = planned.definition.kind == core::StepKind::Wait && !is_expanded && !step.wakes_at;
    const bool is_lost = step.state == StepState::Running && (needs_child || needs_time);
    if (step.state != StepState::Ready && !is_lost) return;
    if (std::ranges::find(resolved_, step.key) != resolved_.end()) return;
    if (is_lost) book_.change_step(step.key).state = StepState::Ready;
    resolved_.push_back(step.key);
    ++answer.dispatched;
    note(step.key.job, "repaired", concat("Step ", name_of(step.key), " was ready, but had not been begun"));
}

}  // namespace holdfast::store
