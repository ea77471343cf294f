#include "server/api/queue_view.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "core/workflow/workflow.h"
#include "store/restored.h"

namespace holdfast::api {

namespace {

/// Verbs that concern no queue: they pass unchanged.
constexpr std::string_view open_verbs[] = {"now", "sweep_lease", "replicas", "append_event"};

std::vector<std::string> as_list(const std::set<std::string>& names) {
    return {names.begin(), names.end()};
}

}  // namespace

void QueueView::require_open(const std::string& verb) const {
    if (std::ranges::find(open_verbs, verb) != std::end(open_verbs)) return;
    throw Problem("FORBIDDEN",
                  concat("this needs a token for all queues; yours is limited to ", join(queues_, ", ")));
}

// ---- What is seen -------------------------------------------------------------------------------

bool QueueView::has(const std::string& queue) const {
    return std::ranges::find(queues_, queue) != queues_.end();
}

bool QueueView::has_job(const std::vector<std::string>& queues) const {
    return core::belongs_to(queues, queues_);
}

bool QueueView::sees_task(const Uuid& task) {
    return find({task}).front().has_value();
}

bool QueueView::sees_job(const Uuid& job) {
    return find_jobs({job}).front().has_value();
}

bool QueueView::sees_schedule(const std::string& name) {
    return std::ranges::any_of(schedules(), [&](const auto& record) { return record.schedule.name == name; });
}

void QueueView::require_queue(const std::string& queue) const {
    if (!has(queue))
        throw Problem("FORBIDDEN", concat("this token may use the queues ", join(queues_, ", "), ", not ", queue));
}

void QueueView::require_definition(const std::string& definition) const {
    if (!has_job(as_list(store::queues_in(definition))))
        throw Problem("FORBIDDEN", concat("a definition must have tasks, and all of them must go to the queues ",
                                          join(queues_, ", "), ", to which this token is limited"));
}

void QueueView::require_tasks(const std::vector<Uuid>& tasks) {
    for (const Uuid& task : tasks)
        if (!sees_task(task)) refuse_gone("task", task);
}

void QueueView::require_jobs(const std::vector<Uuid>& jobs) {
    for (const Uuid& job : jobs)
        if (!sees_job(job)) refuse_gone("job", job);
}

std::vector<store::EventRecord> QueueView::without_unseen_jobs(std::vector<store::EventRecord> events) {
    std::set<Uuid> jobs;
    for (const auto& event : events)
        if (!event.job.is_nil()) jobs.insert(event.job);
    std::set<Uuid> seen;
    for (const auto& job : find_jobs({jobs.begin(), jobs.end()}))
        if (job) seen.insert(job->id);
    for (auto& event : events)
        if (!seen.contains(event.job)) event.job = Uuid();
    return events;
}

std::vector<store::EventRecord> QueueView::seen_of(const std::vector<store::EventRecord>& events) {
    std::vector<store::EventRecord> found;
    for (const auto& event : events)
        if (event.queue.empty() ? event.task.is_nil() && !event.job.is_nil() : has(event.queue))
            found.push_back(event);
    found = without_unseen_jobs(std::move(found));
    std::erase_if(found, [](const auto& event) { return event.queue.empty() && event.job.is_nil(); });
    return found;
}

// ---- Tasks --------------------------------------------------------------------------------------

/// Ids and idempotency keys are unique in the whole store. Which task has one of another queue is not told.
std::vector<store::SubmitOutcome> QueueView::submit(const std::vector<store::NewTask>& tasks) {
    for (const auto& task : tasks) require_queue(task.queue);
    auto outcomes = store_.submit(tasks);
    for (auto& outcome : outcomes)
        if (outcome.status == store::SubmitStatus::PayloadMismatch && !sees_task(outcome.id)) outcome.id = Uuid();
    return outcomes;
}

std::vector<std::optional<store::TaskRecord>> QueueView::find(const std::vector<Uuid>& ids) {
    auto found = store_.find(ids);
    for (auto& record : found)
        if (record && !has(record->task.queue)) record.reset();
    return found;
}

/// One list for each queue, merged: the stores find the tasks of a queue among any number of others.
std::vector<store::TaskRecord> QueueView::list(const store::ListParams& params) {
    std::vector<store::TaskRecord> page;
    for (const std::string& queue : queues_) {
        if (!params.filter.queue.empty() && params.filter.queue != queue) continue;
        store::ListParams of_queue = params;
        of_queue.filter.queue = queue;
        auto part = store_.list(of_queue);
        std::move(part.begin(), part.end(), std::back_inserter(page));
    }
    std::ranges::sort(page, std::greater(), [](const store::TaskRecord& record) { return record.task.id; });
    if (page.size() > params.limit) page.erase(page.begin() + static_cast<std::ptrdiff_t>(params.limit), page.end());
    return page;
}

std::vector<store::AttemptRecord> QueueView::attempts(const Uuid& task) {
    return sees_task(task) ? store_.attempts(task) : std::vector<store::AttemptRecord>();
}

std::vector<store::EventRecord> QueueView::events(const store::ReadEventsParams& params) {
    store::ReadEventsParams limited = params;
    limited.queues = queues_;
    return without_unseen_jobs(store_.events(limited));
}

std::vector<store::EventRecord> QueueView::last_events(std::size_t limit, const store::Queues&) {
    return without_unseen_jobs(store_.last_events(limit, queues_));
}

std::vector<store::EventRecord> QueueView::orders(const store::OrdersParams& params) {
    store::OrdersParams limited = params;
    limited.queues = queues_;
    return without_unseen_jobs(store_.orders(limited));
}

std::vector<store::LogRecord> QueueView::read_logs(const store::ReadLogsParams& params) {
    return sees_task(params.task) ? store_.read_logs(params) : std::vector<store::LogRecord>();
}

std::vector<store::CancelStatus> QueueView::cancel(const store::CancelParams& params) {
    require_tasks(params.tasks);
    return store_.cancel(params);
}

std::vector<store::ForceStatus> QueueView::force(const store::ForceParams& params) {
    require_tasks(params.tasks);
    return store_.force(params);
}

// ---- Jobs ---------------------------------------------------------------------------------------

std::vector<store::SubmitOutcome> QueueView::start_jobs(const std::vector<store::NewJob>& jobs) {
    for (const auto& job : jobs) require_definition(job.definition);
    return store_.start_jobs(jobs);
}

std::vector<std::optional<JobInfo>> QueueView::find_jobs(const std::vector<Uuid>& ids) {
    auto found = store_.find_jobs(ids);
    for (auto& job : found)
        if (job && !has_job(job->queues)) job.reset();
    return found;
}

std::vector<JobInfo> QueueView::list_jobs(const JobQuery& query, const store::Queues&) {
    return store_.list_jobs(query, queues_);
}

std::vector<Uuid> QueueView::jobs_with_prefix(const std::string& prefix, std::size_t limit, const store::Queues&) {
    return store_.jobs_with_prefix(prefix, limit, queues_);
}

std::vector<StepInfo> QueueView::steps(const store::StepsParams& params) {
    return sees_job(params.job) ? store_.steps(params) : std::vector<StepInfo>();
}

std::string QueueView::job_definition(const Uuid& job) {
    return sees_job(job) ? store_.job_definition(job) : "";
}

std::vector<store::EventRecord> QueueView::job_events(const store::JobEventsParams& params) {
    return sees_job(params.job) ? store_.job_events(params) : std::vector<store::EventRecord>();
}

std::optional<store::StepOfTask> QueueView::step_of_task(const Uuid& task) {
    auto step = store_.step_of_task(task);
    if (step && !sees_job(step->first)) step.reset();
    return step;
}

std::vector<SteerStatus> QueueView::cancel_jobs(const store::SteerJobsParams& params) {
    require_jobs(params.jobs);
    return store_.cancel_jobs(params);
}

std::vector<SteerStatus> QueueView::pause_jobs(const store::SteerJobsParams& params) {
    require_jobs(params.jobs);
    return store_.pause_jobs(params);
}

std::vector<SteerStatus> QueueView::resume_jobs(const store::SteerJobsParams& params) {
    require_jobs(params.jobs);
    return store_.resume_jobs(params);
}

store::DecideStatus QueueView::decide_approval(const store::DecideParams& params) {
    require_jobs({params.job});
    return store_.decide_approval(params);
}

store::RetryStatus QueueView::retry_job(const store::RetryJobParams& params) {
    require_jobs({params.job});
    return store_.retry_job(params);
}

// ---- Schedules ----------------------------------------------------------------------------------

std::vector<store::ScheduleRecord> QueueView::schedules() {
    auto records = store_.schedules();
    std::erase_if(records, [&](const store::ScheduleRecord& record) {
        return !has_job(as_list(store::queues_in(record.schedule.definition)));
    });
    return records;
}

void QueueView::put_schedule(const store::ScheduleDefinition& schedule, const std::string& who) {
    require_definition(schedule.definition);
    const auto is_other = [&](const auto& record) { return record.schedule.name == schedule.name; };
    if (!sees_schedule(schedule.name) && std::ranges::any_of(store_.schedules(), is_other))
        throw Problem("CONFLICT", concat("schedule '", schedule.name, "' cannot be made: choose another name"));
    store_.put_schedule(schedule, who);
}

bool QueueView::set_schedule_paused(const std::string& schedule, bool paused, const std::string& who) {
    return sees_schedule(schedule) && store_.set_schedule_paused(schedule, paused, who);
}

bool QueueView::remove_schedule(const std::string& schedule, const std::string& who) {
    return sees_schedule(schedule) && store_.remove_schedule(schedule, who);
}

// ---- Workers ------------------------------------------------------------------------------------

std::vector<store::WorkerRecord> QueueView::workers() {
    auto records = store_.workers();
    for (auto& record : records) {
        std::erase_if(record.registration.queues, [&](const std::string& queue) { return !has(queue); });
        if (record.registration.queues.empty()) continue;
        std::vector<Uuid> tasks;
        for (const auto& held : record.held) tasks.push_back(held.lease.task);
        const auto seen = find(tasks);
        std::vector<store::HeldLease> held;
        for (std::size_t i = 0; i < tasks.size(); ++i)
            if (seen[i]) held.push_back(record.held[i]);
        record.held = std::move(held);
    }
    std::erase_if(records, [](const store::WorkerRecord& record) { return record.registration.queues.empty(); });
    return records;
}

/// Pages of the store are read until one of the view is full, so that a short page means the end here, too.
std::vector<store::LeaseRecord> QueueView::leases(const store::FindLeasesParams& params) {
    std::vector<store::LeaseRecord> page;
    store::FindLeasesParams next = params;
    while (page.size() < params.limit) {
        const auto records = store_.leases(next);
        std::vector<Uuid> tasks;
        for (const auto& record : records) tasks.push_back(record.lease.task);
        const auto seen = find(tasks);
        for (std::size_t i = 0; i < records.size() && page.size() < params.limit; ++i)
            if (seen[i]) page.push_back(records[i]);
        if (records.size() < next.limit) break;
        next.after = records.back().lease.task;
    }
    return page;
}

/// A snapshot counts all tasks of a worker, so it is told only of workers that serve no other queue.
std::vector<store::WorkerSnapshot> QueueView::worker_snapshots(const Uuid& worker, std::size_t limit) {
    for (const auto& record : store_.workers())
        if (record.registration.id == worker && has_job(record.registration.queues))
            return store_.worker_snapshots(worker, limit);
    return {};
}

// ---- Queues, keys and statistics ----------------------------------------------------------------

std::vector<store::QueueRecord> QueueView::queues() {
    auto records = store_.queues();
    std::erase_if(records, [&](const store::QueueRecord& record) { return !has(record.name); });
    return records;
}

void QueueView::set_queue_paused(const std::string& queue, bool paused, const std::string& who) {
    require_queue(queue);
    store_.set_queue_paused(queue, paused, who);
}

std::vector<store::KeyRecord> QueueView::keys(const store::KeysParams& params) {
    store::KeysParams limited = params;
    limited.queues = queues_;
    return store_.keys(limited);
}

store::DeclareStatus QueueView::declare_key(const core::KeyDeclaration& key, const std::string& who) {
    require_queue(key.queue);
    return store_.declare_key(key, who);
}

bool QueueView::remove_key(const std::string& key, const std::string& queue, const std::string& who) {
    require_queue(queue);
    return store_.remove_key(key, queue, who);
}

std::vector<store::RouteBacklog> QueueView::backlog() {
    auto routes = store_.backlog();
    std::erase_if(routes, [&](const store::RouteBacklog& route) { return !has(route.queue); });
    return routes;
}

store::Stats QueueView::stats(const store::StatsParams& params) {
    store::StatsParams limited = params;
    limited.queues = queues_;
    return store_.stats(limited);
}

}  // namespace holdfast::api
