#include <algorithm>

#include "base/text.h"
#include "core/states.h"
#include "store/jobs/job_scope.h"
#include "store/jobs/orchestrator.h"

namespace holdfast::store {

namespace {

using Json = nlohmann::json;

core::HookKind hook_for(JobState state) {
    if (state == JobState::Completed) return core::HookKind::OnSuccess;
    return state == JobState::Failed ? core::HookKind::OnError : core::HookKind::OnCancel;
}

core::JobEvent event_for(JobState state) {
    if (state == JobState::Completed) return core::JobEvent::Complete;
    return state == JobState::Failed ? core::JobEvent::Fail : core::JobEvent::Cancel;
}

std::string_view word_for(JobState state) {
    if (state == JobState::Completed) return "completed";
    return state == JobState::Failed ? "failed" : "cancelled";
}

}  // namespace

/// Called when no step of the job is left to be done. A paused job ends, too: a resume would have nothing to begin.
void Orchestrator::end_job(const Uuid& job) {
    const JobRow& row = *book_.find_job(job);
    const auto& progress = row.progress;
    if (is_terminal(progress.state) || progress.open_steps > 0) return;
    if (!progress.cancel_code.empty())
        return close_job(job, JobState::Cancelled, TaskError{progress.cancel_code, progress.cancel_reason, ""});
    begin_job(job);
    const auto& plan = plan_of(row);
    if (!is_successful(row, plan)) return close_job(job, JobState::Failed, failure_of(row, plan));
    const JobScope scope(row, plan, std::nullopt, book_, tables_);
    auto output = plan.output.fill(scope);
    if (!output.ok())
        return close_job(job, JobState::Failed,
                         TaskError{std::string(error_code::expression_failed),
                                   concat("output", output.error().path, ": ", output.error().error.message), ""});
    if (plan.definition.output.is_null() && plan.only_last) {
        const StepRow* const last = book_.find_step({job, *plan.only_last, -1});
        const bool is_for_each = plan.step(*plan.only_last).for_each.has_value();
        output = output_of(*last, is_for_each, book_, tables_);
    }
    book_.change_job(job).output = text_of(*output);
    close_job(job, JobState::Completed, std::nullopt);
}

void Orchestrator::close_job(const Uuid& job, JobState state, const std::optional<TaskError>& error) {
    auto& progress = book_.change_job(job);
    progress.state = core::moved(progress.state, event_for(state));
    progress.error = error;
    progress.finished_at = setting_.now;
    progress.deadline.reset();
    std::erase(held_, job);  // its hooks are not held
    ended_jobs_ = true;
    note_skipped(job);
    note(job, concat("job_", word_for(state)),
         error ? concat("Job ", word_for(state), ": ", error->message) : concat("Job ", word_for(state)));
    fire_hooks(job);
    tell_parent(*book_.find_job(job));
}

/// A hook is a task like any other. It has a step's row of its own, which no other step waits for.
void Orchestrator::fire_hooks(const Uuid& job) {
    const JobRow& row = *book_.find_job(job);
    const auto& plan = plan_of(row);
    for (int number = static_cast<int>(plan.step_count); number < static_cast<int>(plan.steps.size()); ++number) {
        if (plan.step(number).hook != hook_for(row.progress.state)) continue;
        StepRow hook;
        hook.key = {job, number, -1};
        hook.state = StepState::Ready;
        hook.ready_at = setting_.now;
        book_.add_step(hook);
        note(job, "hook_fired", concat("Hook ", plan.name_of(number, -1), " fired"));
        dispatch_hook(hook.key);
    }
}

void Orchestrator::tell_parent(const JobRow& job) {
    if (!job.head.parent) return;
    const StepKey& step = *job.head.parent;
    const JobRow* const parent = book_.find_job(step.job);
    if (!parent || is_terminal(parent->progress.state)) return;
    if (job.progress.state == JobState::Completed) return end_step(step, {});
    if (job.progress.state == JobState::Cancelled && !parent->progress.cancel_code.empty())
        return end_step(step, {StepState::Cancelled, std::nullopt});
    const std::string why = job.progress.error ? concat(": ", job.progress.error->message) : std::string();
    fail_step(step, error_code::child_job_failed,
              concat("Child job ", job.head.id.to_string(), " ",
                     job.progress.state == JobState::Cancelled ? "was cancelled" : "failed", why));
}

bool Orchestrator::is_successful(const JobRow& job, const core::WorkflowPlan& plan) {
    if (plan.success.empty())
        return job.progress.failed_steps == 0 || plan.definition.on_error == core::OnError::Continue;
    return std::ranges::any_of(plan.success, [&](const std::vector<int>& required) {
        return std::ranges::all_of(required, [&](int step) {
            const StepRow* const row = book_.find_step({job.head.id, step, -1});
            return row && row->state == StepState::Completed;
        });
    });
}

TaskError Orchestrator::failure_of(const JobRow& job, const core::WorkflowPlan& plan) {
    if (job.progress.first_failed < 0)
        return {std::string(error_code::success_case_not_met),
                "No step failed, but none of the cases of success is met: their steps were skipped", ""};
    const StepRow* const row = book_.find_step({job.head.id, job.progress.first_failed, -1});
    const TaskError error = row ? error_of(*row) : TaskError{};
    const std::string name = plan.name_of(job.progress.first_failed, -1);
    const Json data = {{"step", name}, {"code", error.code}, {"failed_steps", job.progress.failed_steps}};
    return {std::string(error_code::step_failed), concat("Step ", name, " failed: ", error.code, ": ", error.message),
            text_of(data)};
}

}  // namespace holdfast::store
