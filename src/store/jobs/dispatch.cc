#include "base/ids.h"
#include "base/text.h"
#include "core/states.h"
#include "core/task/function_tag.h"
#include "store/jobs/job_scope.h"
#include "store/jobs/orchestrator.h"

namespace holdfast::store {

namespace {

using Json = nlohmann::json;

/// Thrown inside this file only: why a step cannot begin.
struct CannotBegin {
    TaskError error;
};

[[noreturn]] void refuse(std::string_view code, const std::string& message) {
    throw CannotBegin{{std::string(code), message, ""}};
}

Json filled(const core::Template& text, const core::ExpressionScope& scope, std::string_view member) {
    auto value = text.fill(scope);
    if (value.ok()) return std::move(value).value();
    const auto& fault = value.error();
    refuse(error_code::expression_failed,
           concat(member, fault.path, " at character ", fault.error.position + 1, ": ", fault.error.message));
}

/// The value as text: for an environment variable, an argument of a command, or a key.
std::string as_text(const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

Uuid id_for(std::string_view what, const StepKey& key, Timestamp now) {
    return name_based_uuid(
        now, concat(what, " ", key.job.to_string(), " ", std::to_string(key.step), " ", std::to_string(key.item)));
}

core::TaskSpec filled_spec(const core::PlannedStep& step, const core::ExpressionScope& scope, const Json& args) {
    core::TaskSpec spec = *step.definition.spec;
    const ArgsScope args_scope(args);
    const auto& spec_scope = step.definition.spec_reads_args ? args_scope : scope;
    const Json texts = filled(step.spec_texts, spec_scope, "");
    if (texts.is_object()) {
        for (const auto& [name, value] : texts.at("env").items()) spec.env[name] = as_text(value);
        spec.command.clear();
        for (const auto& part : texts.at("command")) spec.command.push_back(as_text(part));
    }
    const Json over = filled(step.env, scope, "env");
    for (const auto& [name, value] : over.items()) spec.env[name] = as_text(value);
    return spec;
}

void require_capability(NewTask& task, const core::PlannedStep& step, const std::optional<core::TaskSpec>& spec) {
    task.tags = step.definition.tags;
    if (!spec) {
        task.tags.push_back(core::function_tag(task.name));
        return;
    }
    for (auto& tag : core::required_tags(*spec)) task.tags.push_back(std::move(tag));
}

std::optional<ConcurrencyKey> filled_key(const core::PlannedStep& step, const core::ExpressionScope& scope,
                                         const Json& args) {
    const ArgsScope args_scope(args);
    const auto& key_scope = step.definition.key_reads_args ? args_scope : scope;
    const Json key = filled(step.concurrency_key, key_scope, "concurrency_key");
    if (key.is_null()) return std::nullopt;
    return ConcurrencyKey{as_text(key), step.definition.concurrency_limit};
}

/// The arguments that a step gives to its task: those of its definition, else its item.
Json args_of(const core::PlannedStep& step, const core::ExpressionScope& scope) {
    if (!step.definition.input.is_null()) return filled(step.input, scope, "input");
    if (step.hook) return scope.find({"job"}).value_or(Json());
    return scope.find({"item"}).value_or(Json());
}

Timestamp wake_time(const core::PlannedStep& step, const Json& value, Timestamp now) {
    const std::string text = as_text(value);
    if (!step.definition.wait_until.empty()) {
        if (const auto at = parse_timestamp(text)) return *at;
        refuse(error_code::expression_failed,
               concat("wait: \"", text, "\" is not a time such as 2026-11-15T08:30:00Z"));
    }
    if (const auto length = parse_duration(text, std::chrono::seconds(1));
        length && *length <= std::chrono::days(3650))
        return now + *length;
    refuse(error_code::expression_failed, concat("wait: \"", text, "\" is not a duration such as 10m"));
}

}  // namespace

void Orchestrator::dispatch(const StepKey& key) {
    const StepRow* const row = book_.find_step(key);
    const JobRow& job = *book_.find_job(key.job);
    if (!row || row->state != StepState::Ready || !row->task.is_nil() || is_terminal(job.progress.state)) return;
    if (!job.progress.cancel_code.empty()) return end_step(key, {StepState::Cancelled, std::nullopt});
    if (job.progress.state == JobState::Paused) return;  // resume comes back to it
    const auto& step = step_of(key);
    const JobScope scope(job, plan_of(job), key, book_, tables_);
    try {
        if (key.item < 0 && step.when && !core::is_true(filled(*step.when, scope, "when")))
            return end_step(key, {StepState::Skipped, std::nullopt});
        if (key.item < 0 && step.for_each) return expand(key, step, scope);
        dispatch_kind(key, step, scope);
    } catch (const CannotBegin& fault) {
        end_step(key, {StepState::Failed, fault.error});
    }
}

/// Its job has ended, so the state of the job does not matter.
void Orchestrator::dispatch_hook(const StepKey& key) {
    const JobRow& job = *book_.find_job(key.job);
    const JobScope scope(job, plan_of(job), key, book_, tables_);
    try {
        dispatch_task(key, step_of(key), scope);
    } catch (const CannotBegin& fault) {
        end_step(key, {StepState::Failed, fault.error});
    }
}

void Orchestrator::dispatch_kind(const StepKey& key, const core::PlannedStep& step,
                                 const core::ExpressionScope& scope) {
    switch (step.definition.kind) {
        case core::StepKind::Task:
            return dispatch_task(key, step, scope);
        case core::StepKind::Workflow:
            return dispatch_child(key, step, scope);
        case core::StepKind::Approval:
            return dispatch_approval(key, step, scope);
        case core::StepKind::Wait:
            return dispatch_wait(key, step, scope);
    }
}

void Orchestrator::dispatch_task(const StepKey& key, const core::PlannedStep& step,
                                 const core::ExpressionScope& scope) {
    const Json args = args_of(step, scope);
    std::optional<core::TaskSpec> spec;
    if (step.definition.spec) spec = filled_spec(step, scope, args);
    NewTask task;
    task.id = id_for("task", key, setting_.now);
    task.name = step.definition.task;
    task.args = text_of(args);
    if (spec) task.spec = core::to_json_text(*spec);
    task.queue = step.definition.queue;
    task.priority = step.definition.priority;
    task.policy = step.definition.policy;
    task.concurrency = filled_key(step, scope, args);
    require_capability(task, step, spec);
    book_.change_step(key).task = task.id;
    new_tasks_.push_back(std::move(task));
    owners_.push_back(key);
}

void Orchestrator::dispatch_child(const StepKey& key, const core::PlannedStep& step,
                                  const core::ExpressionScope& scope) {
    const JobRow& parent = *book_.find_job(key.job);
    const auto* const plan = plans_.at(parent.head.definition)->find(step.definition.workflow);
    if (parent.head.depth >= core::max_job_depth)
        refuse(error_code::step_not_accepted, concat("child jobs are nested deeper than ", core::max_job_depth));
    Json given = args_of(step, scope);
    const auto input = core::checked_input(plan->definition, given.is_null() ? Json::object() : given);
    if (!input.ok()) refuse(error_code::input_invalid, join(input.error(), "; "));
    JobHead head;
    head.id = id_for("job", key, setting_.now);
    head.definition = parent.head.definition;
    head.workflow = step.definition.workflow;
    head.input = input->dump();
    head.root = parent.head.root;
    head.parent = key;
    head.depth = parent.head.depth + 1;
    head.created_at = setting_.now;
    head.timeout = step.definition.policy.timeout ? step.definition.policy.timeout : plan->definition.timeout;
    begin_step(key).child = head.id;
    create(head, *plan, {});
}

void Orchestrator::dispatch_approval(const StepKey& key, const core::PlannedStep& step,
                                     const core::ExpressionScope& scope) {
    const std::string message = as_text(filled(step.text, scope, "approval"));
    auto& row = begin_step(key);
    row.value = text_of(message);
    if (step.definition.policy.timeout) row.wakes_at = setting_.now + *step.definition.policy.timeout;
    note(key.job, "approval_wanted", concat("Step ", name_of(key), " waits for an approval: ", message));
}

void Orchestrator::dispatch_wait(const StepKey& key, const core::PlannedStep& step,
                                 const core::ExpressionScope& scope) {
    const Timestamp wakes_at = wake_time(step, filled(step.text, scope, "wait"), setting_.now);
    begin_step(key).wakes_at = wakes_at;
    if (wakes_at <= setting_.now) end_step(key, {});
}

void Orchestrator::expand(const StepKey& key, const core::PlannedStep& step, const core::ExpressionScope& scope) {
    const Json list = filled(*step.for_each, scope, "for_each");
    if (!list.is_array())
        refuse(error_code::expression_failed, concat("for_each is ", list.type_name(), ", not a list"));
    if (list.size() > core::max_for_each_items)
        refuse(error_code::expression_failed, concat("for_each has ", list.size(), " items, and at most ",
                                                     core::max_for_each_items, " are allowed"));
    auto& row = begin_step(key);
    add_items(key, list);
    row.ends.open == 0 ? finish_for_each(key) : dispatch_items(key);
}

/// Items that a retry has adopted are there already, and have ended.
void Orchestrator::add_items(const StepKey& key, const Json& list) {
    auto& row = book_.change_step(key);
    row.ends = {};
    row.begun_items = 0;
    std::set<int> known;
    for (const auto* adopted : book_.items(key.job, key.step)) {
        known.insert(adopted->key.item);
        const bool is_in_list = adopted->key.item < static_cast<int>(list.size());
        if (is_in_list && adopted->state == StepState::Completed) ++row.ends.succeeded;
    }
    row.ends.open = static_cast<int>(list.size()) - row.ends.succeeded;
    for (int item = 0; item < static_cast<int>(list.size()); ++item) {
        const StepKey item_key{key.job, key.step, item};
        if (known.contains(item)) continue;
        StepRow made;
        made.key = item_key;
        made.value = list[static_cast<std::size_t>(item)].dump();
        book_.add_step(made);
    }
}

/// As many items as may be under way at once. Those from `begun_items` on have not begun, unless they were adopted.
void Orchestrator::dispatch_items(const StepKey& key) {
    const JobRow& job = *book_.find_job(key.job);
    if (job.progress.state == JobState::Paused || !job.progress.cancel_code.empty()) return;
    const auto& definition = step_of(key).definition;
    auto& row = book_.change_step(key);
    const int total = row.ends.open + row.ends.succeeded + row.ends.failed + row.ends.skipped;
    const int wanted = definition.sequential ? 1 : definition.parallel;
    const int limit = wanted == 0 ? total : wanted;
    int free = limit - row.under_way;
    for (; free > 0 && row.begun_items < total; ++row.begun_items) {
        const StepKey item{key.job, key.step, row.begun_items};
        const StepRow* const waiting = book_.find_step(item);
        if (!waiting || waiting->state != StepState::Waiting) continue;
        auto& begun = book_.change_step(item);
        begun.state = core::moved(begun.state, core::StepEvent::Resolve);
        begun.ready_at = setting_.now;
        resolved_.push_back(item);
        ++row.under_way;
        --free;
    }
}

void Orchestrator::skip_items(const StepKey& key) {
    auto& row = book_.change_step(key);
    row.begun_items = row.ends.open + row.ends.succeeded + row.ends.failed + row.ends.skipped;
    std::vector<StepKey> waiting;
    for (const auto* item : book_.items(key.job, key.step))
        if (item->state == StepState::Waiting) waiting.push_back(item->key);
    for (const auto& item : waiting) end_step(item, {StepState::Skipped, std::nullopt});
}

void Orchestrator::finish_for_each(const StepKey& key) {
    const StepRow& row = *book_.find_step(key);
    if (!book_.find_job(key.job)->progress.cancel_code.empty() && row.ends.failed > 0)
        return end_step(key, {StepState::Cancelled, std::nullopt});
    if (row.ends.failed == 0) return end_step(key, {});
    const int total = row.ends.succeeded + row.ends.failed + row.ends.skipped;
    std::string first;
    for (const auto* item : book_.items(key.job, key.step)) {
        if (item->state != StepState::Failed && item->state != StepState::Cancelled) continue;
        const auto error = error_of(*item);
        first = concat(name_of(item->key), ": ", error.code, ": ", error.message);
        break;
    }
    fail_step(key, error_code::items_failed,
              concat(row.ends.failed, " of ", total, " items failed; the first is ", first));
}

void Orchestrator::submit_tasks() {
    const auto tasks = std::exchange(new_tasks_, {});
    const auto owners = std::exchange(owners_, {});
    if (tasks.empty()) return;
    const auto outcomes = tables_.submit_tasks(tasks);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        if (outcomes[i].status == SubmitStatus::Accepted || outcomes[i].status == SubmitStatus::Existing) continue;
        book_.change_step(owners[i]).task = {};
        fail_step(owners[i], error_code::step_not_accepted, outcomes[i].complaint);
    }
    brought_work_ = true;
}

}  // namespace holdfast::store
