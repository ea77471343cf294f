#include "base/text.h"
#include "core/json_text.h"
#include "core/states.h"
#include "core/workflow/workflow.h"
#include "store/admission.h"
#include "store/jobs/job_scope.h"
#include "store/jobs/orchestrator.h"

namespace holdfast::store {

namespace {

using Json = nlohmann::json;

std::string because(const std::string& reason) {
    return reason.empty() ? "" : concat(": ", reason);
}

}  // namespace

SubmitOutcome Orchestrator::start(const NewJob& job, bool of_slot) {
    const auto refused = [&](std::string complaint) {
        return SubmitOutcome{SubmitStatus::Refused, job.id, std::move(complaint)};
    };
    if (auto complaint = id_complaint(job.id)) return refused(std::move(*complaint));
    if (auto complaint = payload_complaint("the input", job.input, setting_.limits))
        return refused(std::move(*complaint));
    const Uuid definition = definition_id(job.definition);
    auto bundle = definitions_.find(definition);
    try {
        if (!bundle) bundle = definitions_.add(definition, job.definition);
    } catch (const BadDefinition& fault) {
        return refused(fault.what());
    }
    plans_[definition] = bundle;
    const auto& plan = *bundle->find(bundle->main);
    auto input = core::checked_input_text(plan.definition, job.input);
    if (!input.ok()) return refused(concat("the input is not valid: ", join(input.error(), "; ")));

    JobHead head;
    head.id = job.id;
    head.definition = definition;
    head.workflow = bundle->main;
    head.input = std::move(input).value();
    head.root = job.id;
    head.retry_of = job.retry_of;
    head.created_at = setting_.now;
    head.timeout = plan.definition.timeout;
    if (const JobRow* const earlier = book_.find_job(job.id)) {
        const bool same = earlier->head.definition == definition && core::same_json(earlier->head.input, head.input);
        return {same ? SubmitStatus::Existing : SubmitStatus::PayloadMismatch, job.id, ""};
    }
    if (auto complaint = future_complaint(job.id, setting_.now); complaint && !of_slot)
        return refused(std::move(*complaint));
    if (is_too_old(job.id, setting_.now, setting_.limits) || (!of_slot && tables_.is_pruned_up_to(job.id)))
        return {SubmitStatus::TooOld, job.id,
                "the id is older than finished jobs are kept: it may have been used before"};
    tables_.insert_definition(definition, job.definition, bundle->queues);
    create(head, plan, {});
    return {SubmitStatus::Accepted, job.id, ""};
}

void Orchestrator::create(const JobHead& head, const core::WorkflowPlan& plan, const std::vector<StepRow>& adopted) {
    JobRow job;
    job.head = head;
    job.progress.open_steps = static_cast<int>(plan.step_count);
    if (plan.definition.queue_timeout) job.progress.deadline = setting_.now + *plan.definition.queue_timeout;
    book_.add_job(job);
    note(head.id, "job_started", concat("Job of workflow ", head.workflow, " accepted, ", plan.step_count, " steps"));
    std::vector<bool> is_adopted(plan.step_count);
    for (const auto& row : adopted) {
        book_.add_step(row);
        if (row.key.item < 0) is_adopted[static_cast<std::size_t>(row.key.step)] = true;
    }
    for (int number = 0; number < static_cast<int>(plan.step_count); ++number) {
        if (is_adopted[static_cast<std::size_t>(number)]) {
            --book_.change_job(head.id).open_steps;
            continue;
        }
        const auto& dependencies = plan.step(number).dependencies;
        StepRow row;
        row.key = {head.id, number, -1};
        for (const int dependency : dependencies)
            ++(is_adopted[static_cast<std::size_t>(dependency)] ? row.ends.succeeded : row.ends.open);
        const auto& definition = plan.step(number).definition;
        if (core::resolve(definition.join, definition.allow_failed_deps, row.ends) == core::Resolution::Run) {
            row.state = StepState::Ready;
            row.ready_at = setting_.now;
            resolved_.push_back(row.key);
        }
        book_.add_step(row);
    }
    if (book_.find_job(head.id)->progress.open_steps == 0) all_ended_.insert(head.id);
}

SteerStatus Orchestrator::cancel(const Uuid& job, std::string_view code, const std::string& reason, Cause cause) {
    const JobRow* const row = book_.find_job(job);
    if (!row) return SteerStatus::NotFound;
    if (row->progress.state == JobState::Cancelled || !row->progress.cancel_code.empty()) return SteerStatus::Already;
    if (is_terminal(row->progress.state)) return SteerStatus::Finished;
    for (const auto& member : open_tree(job)) cancel_one(member, code, reason, member == job ? cause : Cause::Rule);
    return SteerStatus::Applied;
}

void Orchestrator::cancel_one(const Uuid& job, std::string_view code, const std::string& reason, Cause cause) {
    auto& progress = book_.change_job(job);
    if (!progress.cancel_code.empty()) return;
    progress.cancel_code = code;
    progress.cancel_reason = reason;
    progress.deadline.reset();
    if (cause == Cause::Order)
        note_order(job, "cancel_requested", reason, {{"state", to_text(progress.state)}},
                   {{"cancel_requested", true}});
    else
        note(job, "cancel_requested", reason);
    std::vector<StepRow> steps;
    for (const auto* step : book_.all_steps(job)) steps.push_back(*step);
    for (const auto& step : steps) cancel_unstarted(step);
    if (progress.open_steps == 0) all_ended_.insert(job);
}

/// A step without a task or child job ends at once; the others end when their task or child job does.
void Orchestrator::cancel_unstarted(const StepRow& step) {
    if (is_terminal(step.state) || step_of(step.key).hook) return;
    const bool is_expanded = step.state == StepState::Running && step_of(step.key).for_each && step.key.item < 0;
    if (is_expanded) {
        std::vector<StepRow> items;
        for (const auto* item : book_.items(step.key.job, step.key.step)) items.push_back(*item);
        for (const auto& item : items) cancel_unstarted(item);
    } else if (step.task.is_nil() && step.child.is_nil()) {
        end_step(step.key, {StepState::Cancelled, std::nullopt});
    }
}

SteerStatus Orchestrator::pause(const Uuid& job, const std::string& reason) {
    const JobRow* const row = book_.find_job(job);
    if (!row) return SteerStatus::NotFound;
    if (is_terminal(row->progress.state)) return SteerStatus::Finished;
    if (row->progress.state == JobState::Paused) return SteerStatus::Already;
    pause_tree(job, reason, Cause::Order);
    if (row->progress.open_steps == 0) all_ended_.insert(job);
    return SteerStatus::Applied;
}

void Orchestrator::pause_tree(const Uuid& job, const std::string& reason, Cause cause) {
    for (const auto& member : open_tree(job)) {
        auto& progress = book_.change_job(member);
        if (progress.state == JobState::Paused || is_terminal(progress.state)) continue;
        const auto before = progress.state;
        progress.state = core::moved(progress.state, core::JobEvent::Pause);
        held_.push_back(member);
        const auto sentence = concat("Job paused", because(reason));
        if (member == job && cause == Cause::Order)
            note_order(member, "job_paused", sentence, {{"state", to_text(before)}},
                       {{"state", to_text(progress.state)}});
        else
            note(member, "job_paused", sentence);
    }
}

SteerStatus Orchestrator::resume(const Uuid& job, const std::string& reason) {
    const JobRow* const row = book_.find_job(job);
    if (!row) return SteerStatus::NotFound;
    if (is_terminal(row->progress.state)) return SteerStatus::Finished;
    if (row->progress.state != JobState::Paused) return SteerStatus::Already;
    for (const auto& member : open_tree(job)) resume_one(member, reason, member == job ? Cause::Order : Cause::Rule);
    return SteerStatus::Applied;
}

void Orchestrator::resume_one(const Uuid& job, const std::string& reason, Cause cause) {
    const JobRow& row = *book_.find_job(job);
    if (row.progress.state != JobState::Paused) return;
    auto& progress = book_.change_job(job);
    if (progress.started_at) {
        progress.state = core::moved(progress.state, core::JobEvent::Resume);
    } else {
        progress.state = JobState::Pending;
        begin_job(job);
    }
    released_.push_back(job);
    const auto sentence = concat("Job resumed", because(reason));
    if (cause == Cause::Order)
        note_order(job, "job_resumed", sentence, {{"state", to_text(JobState::Paused)}},
                   {{"state", to_text(progress.state)}});
    else
        note(job, "job_resumed", sentence);
    std::vector<StepKey> expanded;
    for (const auto* step : book_.all_steps(job)) {
        if (step->state == StepState::Ready && step->task.is_nil()) resolved_.push_back(step->key);
        if (step->state == StepState::Running && step_of(step->key).for_each) expanded.push_back(step->key);
    }
    for (const auto& key : expanded) {
        for (const auto* item : book_.items(job, key.step))
            if (item->state == StepState::Ready && item->task.is_nil()) resolved_.push_back(item->key);
        dispatch_items(key);
    }
    if (progress.open_steps == 0) all_ended_.insert(job);
}

std::vector<Uuid> Orchestrator::open_tree(const Uuid& job) {
    std::vector<Uuid> tree{job};
    for (std::size_t next = 0; next < tree.size(); ++next) {
        const auto children = tables_.open_children(tree[next]);
        tree.insert(tree.end(), children.begin(), children.end());
        const auto just_made = book_.added_children(tree[next]);
        tree.insert(tree.end(), just_made.begin(), just_made.end());
    }
    book_.read_jobs(tree);
    return tree;
}

DecideStatus Orchestrator::decide(const DecideParams& params) {
    const JobRow* const job = book_.find_job(params.job);
    const auto place = job ? plan_of(*job).find_step_or_item(params.step) : std::nullopt;
    if (!place) return DecideStatus::NotFound;
    const StepKey key{params.job, place->first, place->second};
    const StepRow* const row = book_.find_step(key);
    if (!row || step_of(key).definition.kind != core::StepKind::Approval) return DecideStatus::NotFound;
    if (is_terminal(row->state)) return DecideStatus::Already;
    if (row->state != StepState::Running) return DecideStatus::NotWaiting;
    const std::string verb = params.approve ? "Approved" : "Rejected";
    const std::string sentence = concat(verb, " by ", params.who, because(params.reason));
    const Json output = {{"approved", params.approve},
                         {"by", params.who},
                         {"reason", params.reason},
                         {"at", format_timestamp(setting_.now)}};
    book_.change_step(key).output = text_of(output);
    note_order(params.job, params.approve ? "approved" : "rejected", concat("Step ", params.step, ": ", sentence),
               nullptr, {{"step", params.step}, {"approved", params.approve}});
    if (params.approve)
        end_step(key, {});
    else
        fail_step(key, error_code::approval_rejected, sentence);
    return DecideStatus::Applied;
}

RetryStatus Orchestrator::retry(const RetryJobParams& params) {
    const JobRow* const old = book_.find_job(params.job);
    if (!old || old->head.parent) return RetryStatus::NotFound;
    if (!is_terminal(old->progress.state)) return RetryStatus::NotEnded;
    if (old->progress.state == JobState::Completed) return RetryStatus::Completed;
    if (book_.find_job(params.new_id)) return RetryStatus::Started;
    if (const auto complaint = id_complaint(params.new_id)) throw BadInput(*complaint);
    if (const auto complaint = future_complaint(params.new_id, setting_.now)) throw BadInput(*complaint);
    const auto old_state = old->progress.state;
    const auto& plan = plan_of(*old);
    JobHead head = old->head;
    head.id = params.new_id;
    head.root = params.new_id;
    head.retry_of = params.job;
    head.created_at = setting_.now;
    auto adopted = adopted_steps(*old, plan);
    for (auto& row : adopted) row.key.job = params.new_id;
    create(head, plan, adopted);
    note_order(
        params.new_id, "job_retried",
        concat("Retry of job ", params.job.to_string(), " by ", params.who, ", which keeps what succeeded there"),
        {{"job", params.job.to_string()}, {"state", to_text(old_state)}}, {{"job", params.new_id.to_string()}});
    return RetryStatus::Started;
}

/// COMPLETED steps, and COMPLETED items of others, each with its output in its own row: the old job may be pruned.
std::vector<StepRow> Orchestrator::adopted_steps(const JobRow& job, const core::WorkflowPlan& plan) {
    std::vector<StepRow> adopted;
    const auto adopt = [&](const StepRow& row, bool is_for_each) {
        StepRow copy;
        copy.key = row.key;
        copy.state = StepState::Completed;
        copy.ready_at = row.ready_at;
        copy.finished_at = row.finished_at;
        copy.value = row.value;
        copy.output = text_of(output_of(row, is_for_each, book_, tables_));
        adopted.push_back(std::move(copy));
    };
    for (const auto* row : book_.all_steps(job.head.id)) {
        if (row->key.step >= static_cast<int>(plan.step_count)) continue;
        const bool is_for_each = plan.step(row->key.step).for_each.has_value();
        if (row->state == StepState::Completed) {
            adopt(*row, is_for_each);
        } else if (is_for_each) {
            for (const auto* item : book_.items(job.head.id, row->key.step))
                if (item->state == StepState::Completed) adopt(*item, false);
        }
    }
    return adopted;
}

}  // namespace holdfast::store
