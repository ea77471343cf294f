#include "store/jobs/orchestrator.h"

#include <algorithm>

#include "base/assert.h"
#include "base/text.h"
#include "core/states.h"
#include "store/admission.h"

namespace holdfast::store {

namespace {

/// A cascade that goes on for longer than this reads the rest of its job at once instead of step by step.
constexpr int waves_before_reading_all = 8;

StepState step_state_of(TaskState state) {
    switch (state) {
        case TaskState::Completed:
            return StepState::Completed;
        case TaskState::Cancelled:
            return StepState::Cancelled;
        case TaskState::Failed:
        case TaskState::Expired:
            return StepState::Failed;
        case TaskState::Pending:
        case TaskState::Claimed:
        case TaskState::Running:
            break;
    }
    HOLDFAST_ASSERT(false);
}

std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t shown = 20;
    if (names.size() <= shown) return join(names, ", ");
    return concat(join({names.begin(), names.begin() + shown}, ", "), " and ", names.size() - shown, " more");
}

}  // namespace

void count_end(core::EndCounts& ends, StepState ended_as) {
    if (ended_as == StepState::Completed) ++ends.succeeded;
    if (ended_as == StepState::Failed || ended_as == StepState::Cancelled) ++ends.failed;
    if (ended_as == StepState::Skipped) ++ends.skipped;
}

Orchestrator::Orchestrator(JobTables& tables, DefinitionCache& definitions, Setting setting)
    : tables_(tables), definitions_(definitions), setting_(std::move(setting)), book_(tables) {}

void Orchestrator::tasks_ended(const std::vector<JustEnded>& tasks) {
    std::vector<Uuid> ids;
    std::map<Uuid, TaskState> states;
    for (const auto& task : tasks) {
        ids.push_back(task.task);
        states[task.task] = task.state;
    }
    auto steps = tables_.steps_of_tasks(ids);
    // In the order of the definition: the same history, whatever the order of the call or of the rows.
    std::sort(steps.begin(), steps.end(), [](const auto& left, const auto& right) { return left.key < right.key; });
    book_.keep(steps);
    std::vector<Uuid> jobs;
    for (const auto& step : steps) jobs.push_back(step.key.job);
    book_.read_jobs(jobs);
    for (const auto& step : steps) {
        const TaskState state = states[step.task];
        if (state != TaskState::Cancelled) begin_job(step.key.job);
        end_step(step.key, {step_state_of(state), std::nullopt});
    }
}

void Orchestrator::tasks_started(const std::vector<Uuid>& tasks) {
    for (const auto& step : tables_.steps_of_tasks(tasks)) begin_job(step.key.job);
}

void Orchestrator::time_came(const std::vector<StepKey>& steps) {
    for (const auto& key : steps) {
        const StepRow* const row = book_.find_step(key);
        if (!row || row->state != StepState::Running || !row->wakes_at || *row->wakes_at > setting_.now) continue;
        const JobRow* const job = book_.find_job(key.job);
        if (!job || is_terminal(job->progress.state)) continue;
        if (step_of(key).definition.kind == core::StepKind::Wait) {
            end_step(key, {});
            continue;
        }
        fail_step(key, error_code::approval_timeout, "Nobody decided in time");
    }
}

void Orchestrator::settle() {
    do {
        follow();
        submit_tasks();
    } while (!ended_.empty());
    while (!skipped_.empty()) note_skipped(skipped_.begin()->first);
    book_.write();
    if (!held_.empty()) tables_.hold_tasks(held_);
    if (!released_.empty()) tables_.release_tasks(released_);
    if (!events_.empty()) tables_.write_events(events_);
    brought_work_ |= !released_.empty();
    held_.clear();
    released_.clear();
    events_.clear();
}

/// First steps that have ended, so that no needless step begins; then steps that may begin; last, jobs that have no
/// open step left. Each of these may cause more of the others.
void Orchestrator::follow() {
    while (true) {
        if (!ended_.empty()) {
            const auto wave = std::exchange(ended_, {});
            read_ahead(wave);
            for (const auto& key : wave) key.item < 0 ? follow_step(key) : follow_item(key);
        } else if (!resolved_.empty()) {
            const auto wave = std::exchange(resolved_, {});
            for (const auto& key : wave) dispatch(key);
        } else if (!all_ended_.empty()) {
            const auto jobs = std::exchange(all_ended_, {});
            for (const auto& job : jobs) end_job(job);
        } else {
            return;
        }
    }
}

void Orchestrator::read_ahead(const std::vector<StepKey>& ended) {
    if (++waves_ == waves_before_reading_all) {
        std::set<Uuid> jobs;
        for (const auto& key : ended) jobs.insert(key.job);
        for (const auto& job : jobs) book_.read_all_steps(job);
    }
    std::vector<StepKey> wanted;
    for (const auto& key : ended) {
        if (key.item >= 0) {
            wanted.push_back({key.job, key.step, -1});
            continue;
        }
        for (const int dependent : step_of(key).dependents) wanted.push_back({key.job, dependent, -1});
    }
    book_.read_steps(wanted);
}

void Orchestrator::end_step(const StepKey& key, const Outcome& outcome) {
    const StepRow* const row = book_.find_step(key);
    if (!row || is_terminal(row->state)) return;
    auto& step = book_.change_step(key);
    step.state = outcome.state;
    step.error = outcome.error;
    if (step.error) step.error->message = readable_text(step.error->message, max_failure_bytes);
    step.finished_at = setting_.now;
    step.wakes_at.reset();
    ended_.push_back(key);
}

void Orchestrator::fail_step(const StepKey& key, std::string_view code, std::string message) {
    end_step(key, {StepState::Failed, TaskError{std::string(code), std::move(message), ""}});
}

StepRow& Orchestrator::begin_step(const StepKey& key) {
    begin_job(key.job);
    auto& step = book_.change_step(key);
    step.state = core::moved(step.state, core::StepEvent::Begin);
    return step;
}

void Orchestrator::follow_step(const StepKey& key) {
    const auto& planned = step_of(key);
    const StepState state = book_.find_step(key)->state;
    if (planned.hook) {
        if (state != StepState::Completed) note(key.job, "hook_failed", concat("Hook ", name_of(key), " failed"));
        return;
    }
    if (state == StepState::Skipped) skipped_[key.job].push_back(name_of(key));
    const JobRow& job = *book_.find_job(key.job);
    --book_.change_job(key.job).open_steps;
    if (state == StepState::Failed || state == StepState::Cancelled) count_failure(key, job);
    for (const int dependent : planned.dependents) count_dependency({key.job, dependent, -1}, key);
    if (job.progress.open_steps <= 0) all_ended_.insert(key.job);
}

void Orchestrator::count_failure(const StepKey& key, const JobRow& job) {
    const bool is_cancelling = !job.progress.cancel_code.empty();
    const auto error = error_of(*book_.find_step(key));
    if (!is_cancelling)
        note(key.job, "step_failed", concat("Step ", name_of(key), " failed: ", error.code, ": ", error.message));
    if (step_of(key).is_optional) return;
    auto& progress = book_.change_job(key.job);
    ++progress.failed_steps;
    if (progress.first_failed < 0) progress.first_failed = key.step;
    const bool pauses = plan_of(job).definition.on_error == core::OnError::Pause;
    if (pauses && !is_cancelling) pause_tree(key.job, concat("step ", name_of(key), " failed"), Cause::Rule);
}

void Orchestrator::count_dependency(const StepKey& dependent, const StepKey& ended) {
    const StepRow* const row = book_.find_step(dependent);
    if (!row || row->state != StepState::Waiting) return;
    auto& step = book_.change_step(dependent);
    const StepState ended_as = book_.find_step(ended)->state;
    --step.ends.open;
    count_end(step.ends, ended_as);
    const auto& definition = step_of(dependent).definition;
    switch (core::resolve(definition.join, definition.allow_failed_deps, step.ends)) {
        case core::Resolution::Wait:
            return;
        case core::Resolution::Run:
            step.state = core::moved(step.state, core::StepEvent::Resolve);
            step.ready_at = setting_.now;
            resolved_.push_back(dependent);
            return;
        case core::Resolution::Skip:
            const bool was_skipped = ended_as == StepState::Skipped;
            end_step(dependent,
                     {StepState::Skipped,
                      TaskError{std::string(was_skipped ? error_code::upstream_skipped : error_code::upstream_failed),
                                concat("Upstream step ", name_of(ended), " is ", to_text(ended_as)), ""}});
            return;
    }
}

void Orchestrator::follow_item(const StepKey& key) {
    const StepKey whole{key.job, key.step, -1};
    const StepRow* const row = book_.find_step(whole);
    if (!row || row->state != StepState::Running) return;
    auto& step = book_.change_step(whole);
    const StepState state = book_.find_step(key)->state;
    --step.ends.open;
    count_end(step.ends, state);
    const StepRow& item = *book_.find_step(key);
    if (item.ready_at) --step.under_way;
    const bool failed = state == StepState::Failed || state == StepState::Cancelled;
    const bool has_more =
        step.begun_items < step.ends.open + step.ends.succeeded + step.ends.failed + step.ends.skipped;
    if (failed && has_more && step_of(key).definition.sequential) skip_items(whole);
    step.ends.open == 0 ? finish_for_each(whole) : dispatch_items(whole);
}

void Orchestrator::begin_job(const Uuid& job) {
    const JobRow* const row = book_.find_job(job);
    if (!row || row->progress.state != JobState::Pending) return;
    auto& progress = book_.change_job(job);
    progress.state = core::moved(progress.state, core::JobEvent::Begin);
    progress.started_at = setting_.now;
    progress.deadline.reset();
    if (row->head.timeout) progress.deadline = setting_.now + *row->head.timeout;
}

const core::WorkflowPlan& Orchestrator::plan_of(const JobRow& job) {
    auto& plan = plans_[job.head.definition];
    if (!plan) plan = definitions_.find(job.head.definition);
    if (!plan) plan = definitions_.add(job.head.definition, tables_.definition_text(job.head.definition));
    const auto* const found = plan->find(job.head.workflow);
    if (!found)
        throw BadDefinition(concat("job ", job.head.id.to_string(), ": its workflow is not in its definition"));
    return *found;
}

const core::PlannedStep& Orchestrator::step_of(const StepKey& key) {
    const JobRow* const job = book_.find_job(key.job);
    if (!job) throw BadDefinition(concat("there is no job ", key.job.to_string(), " to this step"));
    const auto& plan = plan_of(*job);
    if (key.step < 0 || key.step >= static_cast<int>(plan.steps.size()))
        throw BadDefinition(concat("job ", key.job.to_string(), ": its definition has no step ", key.step));
    return plan.step(key.step);
}

std::string Orchestrator::name_of(const StepKey& key) {
    return plan_of(*book_.find_job(key.job)).name_of(key.step, key.item);
}

TaskError Orchestrator::error_of(const StepRow& step) {
    if (step.error) return *step.error;
    const auto ends = step.task.is_nil() ? std::vector<JobTables::TaskEnd>() : tables_.task_ends({step.task});
    if (!ends.empty() && ends.front().error) return *ends.front().error;
    return {std::string(error_code::step_failed), "it left no error", ""};
}

/// One event for all of them.
void Orchestrator::note_skipped(const Uuid& job) {
    const auto skipped = skipped_.extract(job);  // whose key `job` may be
    if (skipped.empty()) return;
    const std::vector<std::string>& names = skipped.mapped();
    note(job, "steps_skipped", concat("Skipped ", names.size() == 1 ? "step " : "steps ", listed(names)));
}

void Orchestrator::note(const Uuid& job, std::string kind, const std::string& message) {
    events_.push_back(event_of(job, std::move(kind), message));
}

/// It belongs to a queue if all tasks of the job do.
void Orchestrator::note_order(const Uuid& job, std::string kind, const std::string& message, nlohmann::json before,
                              nlohmann::json after) {
    auto event = event_of(job, std::move(kind), message);
    (void)plan_of(*book_.find_job(job));  // reads the definition
    const auto& queues = plans_.at(book_.find_job(job)->head.definition)->queues;
    if (queues.size() == 1) event.queue = *queues.begin();
    events_.push_back(as_order(std::move(event), std::move(before), std::move(after)));
}

NewEvent Orchestrator::event_of(const Uuid& job, std::string kind, const std::string& message) const {
    NewEvent event;
    event.kind = std::move(kind);
    event.who = setting_.who;
    event.message = readable_text(message, max_failure_bytes);
    event.job = job;
    return event;
}

}  // namespace holdfast::store
