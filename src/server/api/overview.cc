#include <algorithm>

#include "base/text.h"
#include "server/api/resources.h"
#include "store/route_match.h"
#include "views/overview.h"
#include "views/schedule.h"
#include "views/worker.h"

namespace holdfast::api {

namespace {

constexpr Duration recent = std::chrono::hours(1);

/// Everything that the overview reports, read for one request.
struct Picture {
    Timestamp now = {};
    store::TaskCounts tasks = {};
    store::JobCounts jobs = {};
    store::Vitals vitals = {};
    std::vector<views::WorkerView> workers = {};
    std::vector<Uuid> unregistered = {};  ///< workers that hold tasks but have no row
    std::vector<store::QueueRecord> queues = {};
    std::vector<store::RouteBacklog> backlog = {};
    std::vector<store::ScheduleRecord> schedules = {};
    std::vector<JobInfo> failed_jobs = {};  ///< in the last hour
    std::int64_t failed_tasks = 0;          ///< in the last hour
    std::string sweeper = {};
};

std::vector<JobInfo> recently_failed(store::ClientStore& store, Timestamp now) {
    JobQuery query;
    query.states = {JobState::Failed};
    query.limit = 200;
    auto jobs = store.list_jobs(query);
    std::erase_if(jobs, [&](const JobInfo& job) { return !job.finished_at || now - *job.finished_at > recent; });
    return jobs;
}

/// Uses the same statistics as the page requests, so that one cached read serves both.
std::int64_t failed_tasks(Call& call) {
    const auto stats = call.services.counts.statistics(call.store(), {.window = recent});
    std::int64_t failed = 0;
    for (const auto& bucket : stats.buckets) failed += bucket.failed;
    return failed;
}

Picture take_picture(Call& call) {
    store::Store& store = call.store();
    Picture picture;
    picture.now = store.now();
    picture.tasks = call.services.counts.tasks(store);
    picture.jobs = call.services.counts.jobs(store);
    picture.vitals = store.vitals();
    for (const auto& record : store.workers())
        picture.workers.push_back(views::view_of(record, call.config().recovery));
    picture.unregistered = store.look().unregistered;
    picture.queues = store.queues();
    picture.backlog = store.backlog();
    picture.schedules = store.schedules();
    picture.failed_jobs = recently_failed(store, picture.now);
    picture.failed_tasks = failed_tasks(call);
    picture.sweeper = store.sweep_lease("the api, which only looks", Duration::zero()).holder;
    return picture;
}

// ---- Concerns for the operator ------------------------------------------------------------------

using Concern = views::Concern;
using views::Severity;

std::string counted(std::int64_t count, std::string_view one, std::string_view many) {
    return concat(count, " ", count == 1 ? one : many);
}

bool could_take(const views::WorkerView& worker, const store::RouteBacklog& backlog) {
    const auto& registration = worker.record.registration;
    return !views::has_left(worker.record) &&
           store::serves(registration.queues, registration.tags, {backlog.route, backlog.queue, backlog.tags});
}

/// Counts the tasks that could run now but match none of the present workers.
std::int64_t count_unmatched(const Picture& picture) {
    std::int64_t tasks = 0;
    for (const auto& backlog : picture.backlog)
        if (!std::ranges::any_of(picture.workers, [&](const auto& worker) { return could_take(worker, backlog); }))
            tasks += backlog.ready;
    return tasks;
}

void note_workers(const Picture& picture, std::vector<Concern>& concerns) {
    std::int64_t stale = 0, present = 0;
    std::string first;
    for (const auto& worker : picture.workers) {
        if (views::has_left(worker.record)) continue;
        ++present;
        if (worker.fresh) continue;
        if (stale++ == 0) first = worker.record.registration.id.to_string();
    }
    if (stale > 0)
        concerns.push_back({"worker_stale", Severity::Problem,
                            counted(stale, "worker does not beat", "workers do not beat"), "workers",
                            stale == 1 ? first : "", stale});
    if (const auto missing = std::ssize(picture.unregistered); missing > 0)
        concerns.push_back({"worker_unregistered", Severity::Warning,
                            counted(missing, "worker holds tasks and has no row: they are recovered",
                                    "workers hold tasks and have no row: they are recovered"),
                            "recovery", "", missing});
    const std::int64_t unmatched = count_unmatched(picture);
    if (present == 0 && picture.tasks.pending > 0)
        concerns.push_back(
            {"no_workers", Severity::Problem,
             concat("no worker is there; ", counted(picture.tasks.pending, "task waits", "tasks wait")), "workers",
             "", picture.tasks.pending});
    else if (unmatched > 0)
        concerns.push_back(
            {"unmatched", Severity::Problem,
             counted(unmatched, "task waits that no worker can run", "tasks wait that no worker can run"), "tasks",
             "", unmatched});
}

void note_failures(const Picture& picture, std::vector<Concern>& concerns) {
    const auto jobs = std::ssize(picture.failed_jobs);
    if (jobs > 0)
        concerns.push_back({"job_failed", Severity::Problem,
                            concat(counted(jobs, "job", "jobs"), " failed in the last hour"), "jobs",
                            jobs == 1 ? picture.failed_jobs.front().id.to_string() : "", jobs});
    if (picture.failed_tasks > 0)
        concerns.push_back({"task_failed", Severity::Warning,
                            concat(counted(picture.failed_tasks, "task", "tasks"), " failed in the last hour"),
                            "tasks", "", picture.failed_tasks});
}

void note_queues(const Picture& picture, std::vector<Concern>& concerns) {
    for (const auto& queue : picture.queues)
        if (queue.paused && queue.pending > 0)
            concerns.push_back({"queue_paused", Severity::Warning,
                                concat("queue ", queue.name, " is paused; ",
                                       counted(queue.pending, "task waits in it", "tasks wait in it")),
                                "queues", queue.name, queue.pending});
}

void note_schedules(const Picture& picture, std::vector<Concern>& concerns) {
    for (const auto& record : picture.schedules) {
        const auto view = views::view_of(record, picture.now, 1);
        if (!view.problem.empty())
            concerns.push_back({"schedule_problem", Severity::Problem,
                                concat("schedule ", record.schedule.name, ": ", view.problem), "schedules",
                                record.schedule.name, 1});
    }
}

/// Returns the concerns, the worst first.
std::vector<Concern> concerns_of(const Picture& picture) {
    std::vector<Concern> concerns;
    if (picture.sweeper.empty())
        concerns.push_back({"nobody_sweeps", Severity::Problem,
                            "no process does recovery: start a worker or a server", "recovery", "", 1});
    note_workers(picture, concerns);
    note_failures(picture, concerns);
    note_schedules(picture, concerns);
    if (picture.vitals.approvals > 0)
        concerns.push_back(
            {"approval", Severity::Warning,
             counted(picture.vitals.approvals, "step waits for a decision", "steps wait for a decision"), "jobs", "",
             picture.vitals.approvals});
    note_queues(picture, concerns);
    std::ranges::stable_sort(concerns, {}, &Concern::severity);
    return concerns;
}

// ---- The answer -------------------------------------------------------------------------------------

views::WorkerCounts count_workers(const std::vector<views::WorkerView>& workers) {
    views::WorkerCounts counts;
    for (const auto& [record, is_fresh] : workers) {
        if (views::has_left(record)) {
            ++counts.inactive;
            continue;
        }
        ++(is_fresh ? counts.fresh : counts.stale);
        if (record.status == store::WorkerStatus::Draining) ++counts.draining;
        counts.capacity += record.registration.capacity;
        counts.busy += std::ssize(record.held);
    }
    return counts;
}

std::optional<views::OldestWaiting> oldest_of(const store::Vitals& vitals) {
    if (!vitals.oldest_waits) return std::nullopt;
    return views::OldestWaiting{.task = vitals.oldest_task, .waits = *vitals.oldest_waits};
}

}  // namespace

http::Reply show_overview(Call& call) {
    const Picture picture = take_picture(call);
    return answer(views::to_json_shape(views::Overview{.now = picture.now,
                                                       .version = call.services.parts.version,
                                                       .store = call.store().describe(),
                                                       .tasks = picture.tasks,
                                                       .jobs = picture.jobs,
                                                       .workers = count_workers(picture.workers),
                                                       .queues = picture.queues,
                                                       .oldest_waiting = oldest_of(picture.vitals),
                                                       .attention = concerns_of(picture)}));
}

}  // namespace holdfast::api
