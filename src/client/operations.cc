#include "client/operations.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "core/task/function_tag.h"
#include "platform/task_ids.h"

namespace holdfast::client {

namespace {

std::string unknown_job(const Uuid& job) {
    return concat("there is no job with the id ", job.to_string());
}

SubmitOutcome accept_or_throw(SubmitOutcome outcome, const store::NewTask& task) {
    switch (outcome.status) {
        case SubmitStatus::Accepted:
        case SubmitStatus::Existing:
            return outcome;
        case SubmitStatus::PayloadMismatch:
            throw PayloadMismatch(concat(error_code::payload_mismatch, ": task ", outcome.id.to_string(),
                                         " has the same ", outcome.id == task.id ? "id" : "idempotency key",
                                         " but another name, arguments, queue, tags or policy"));
        case SubmitStatus::TooOld:
            throw BadInput(
                concat("the id ", task.id.to_string(),
                       " is older than ended tasks are kept, so its task may have run already; use a new id"));
        case SubmitStatus::Refused:
            throw BadInput(outcome.complaint);
    }
    throw BadInput(outcome.complaint);
}

std::string way_to_retry(store::ClientStore& store, const Uuid& job) {
    const std::optional<JobInfo> found = store.find_jobs({job}).front();
    if (!found) return "";
    if (found->state == JobState::Completed)
        return "; the job has COMPLETED: submit a task of its own to run this again";
    return concat(is_terminal(found->state) ? "; retry the job: " : "; once the job has ended, retry it: ",
                  "holdfast jobs retry ", found->root.to_string());
}

store::NewTask copy_for_retry(const store::TaskRecord& ended) {
    store::NewTask copy = ended.task;
    copy.id = platform::new_task_id();
    copy.retry_of = ended.task.id;
    copy.run_at.reset();
    copy.deadline.reset();
    copy.idempotency_key.clear();
    return copy;
}

store::NewTask plain_task(std::string_view name, std::string args, const SubmitOptions& options) {
    return {.id = options.id.is_nil() ? platform::new_task_id() : options.id,
            .name = std::string(name),
            .args = std::move(args),
            .spec = {},
            .queue = options.queue,
            .tags = options.tags,
            .priority = options.priority,
            .run_at = options.run_at,
            .deadline = options.deadline,
            .concurrency = options.concurrency,
            .idempotency_key = options.idempotency_key,
            .policy = options.policy,
            .retry_of = {},
            .traceparent = options.traceparent};
}

/// All events that `read` returns page by page: at most `limit` of those after an id.
template <typename Read>
std::vector<store::EventRecord> all_pages(const Read& read) {
    constexpr std::size_t limit = 100;
    std::vector<store::EventRecord> events;
    for (std::int64_t after = 0;;) {
        auto page = read(after, limit);
        std::ranges::move(page, std::back_inserter(events));
        if (page.size() < limit) return events;
        after = events.back().id;
    }
}

}  // namespace

std::string args_text(std::string_view name, const nlohmann::json& args) {
    try {
        return args.dump();
    } catch (const nlohmann::json::exception&) {  // strings that are not UTF-8 surface only here
        throw BadInput(concat("the arguments of task '", name, "' contain text that is not valid UTF-8"));
    }
}

store::NewTask function_task(std::string_view name, std::string args, const SubmitOptions& options) {
    store::NewTask task = plain_task(name, std::move(args), options);
    task.tags.push_back(core::function_tag(name));
    return task;
}

store::NewTask specified_task(std::string_view name, std::string args, const core::TaskSpec& spec,
                              const SubmitOptions& options) {
    for (const auto& [member, problem] : core::spec_defects(spec))
        throw BadInput(concat("the task's ", member, " ", problem));
    store::NewTask task = plain_task(name, std::move(args), options);
    for (auto& tag : core::required_tags(spec)) task.tags.push_back(std::move(tag));
    task.spec = core::to_json_text(spec);
    return task;
}

std::vector<SubmitOutcome> submit_all(store::ClientStore& store, const std::vector<store::NewTask>& tasks) {
    return asked_until_certain([&] { return store.submit(tasks); });
}

SubmitOutcome submit_one(store::ClientStore& store, const store::NewTask& task) {
    return accept_or_throw(submit_all(store, {task}).front(), task);
}

store::TaskRecord find_one(store::ClientStore& store, const Uuid& task) {
    std::optional<store::TaskRecord> found = store.find({task}).front();
    if (!found) throw UnknownTask(concat("there is no task with the id ", task.to_string()));
    return *std::move(found);
}

bool is_hook(store::ClientStore& store, const std::pair<Uuid, std::string>& step) {
    for (const StepInfo& found : store.steps({.job = step.first, .with_items = false, .step = step.second}))
        if (found.name == step.second) return found.hook;
    return false;
}

void require_retryable(store::ClientStore& store, const store::TaskRecord& record) {
    const std::string id = record.task.id.to_string();
    if (!is_terminal(record.state))
        throw WrongState(
            concat("task ", id, " is ", to_text(record.state), "; only a task that has ended can be retried"));
    const auto step = store.step_of_task(record.task.id);
    if (step && !is_hook(store, *step))
        throw WrongState(concat("task ", id, " belongs to step ", step->second, " of job ", step->first.to_string(),
                                ", which would not hear of a copy", way_to_retry(store, step->first)));
}

Uuid retry_ended(store::ClientStore& store, const Uuid& task) {
    const store::TaskRecord record = find_one(store, task);
    require_retryable(store, record);
    return submit_one(store, copy_for_retry(record)).id;
}

std::vector<store::EventRecord> all_events(store::ClientStore& store, const Uuid& task) {
    return all_pages([&](std::int64_t after, std::size_t limit) {
        return store.events({.task = task, .worker = {}, .after_id = after, .limit = limit});
    });
}

Uuid start_job(store::ClientStore& store, store::NewJob job) {
    if (job.id.is_nil()) job.id = platform::new_task_id();
    const auto outcome = asked_until_certain([&] { return store.start_jobs({job}).front(); });
    switch (outcome.status) {
        case SubmitStatus::Accepted:
        case SubmitStatus::Existing:
            return outcome.id;
        case SubmitStatus::PayloadMismatch:
            throw PayloadMismatch(concat(error_code::payload_mismatch, ": job ", outcome.id.to_string(),
                                         " has the same id but another workflow or input"));
        case SubmitStatus::TooOld:
        case SubmitStatus::Refused:
            break;
    }
    throw BadInput(outcome.complaint);
}

JobInfo find_one_job(store::ClientStore& store, const Uuid& job) {
    auto found = store.find_jobs({job}).front();
    if (!found) throw UnknownJob(unknown_job(job));
    return std::move(*found);
}

Uuid retry_ended_job(store::ClientStore& store, const Uuid& job, const std::string& who, Uuid new_id) {
    if (new_id.is_nil()) new_id = platform::new_task_id();
    const auto status =
        asked_until_certain([&] { return store.retry_job({.job = job, .new_id = new_id, .who = who}); });
    switch (status) {
        case store::RetryStatus::Started:
            return new_id;
        case store::RetryStatus::NotEnded:
            throw WrongState(concat("job ", job.to_string(), " has not ended: cancel it first"));
        case store::RetryStatus::Completed:
            throw WrongState(
                concat("job ", job.to_string(), " is COMPLETED: there is nothing to retry; run it again"));
        case store::RetryStatus::NotFound:
            break;
    }
    throw UnknownJob(concat(unknown_job(job), ", or it is a child: retry the job at the top"));
}

std::vector<store::EventRecord> all_job_events(store::ClientStore& store, const Uuid& job) {
    return all_pages([&](std::int64_t after, std::size_t limit) {
        return store.job_events({.job = job, .after_id = after, .limit = limit});
    });
}

}  // namespace holdfast::client
