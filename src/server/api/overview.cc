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
    views::Overview overview = {};  ///< the answer, without its concerns
    std::vector<views::WorkerView> workers = {};
    std::vector<Uuid> unregistered = {};  ///< workers that hold tasks but have no row
    std::vector<store::RouteBacklog> backlog = {};
    std::vector<store::ScheduleRecord> schedules = {};
    std::vector<JobInfo> failed_jobs = {};  ///< in the last hour
    std::int64_t failed_tasks = 0;          ///< in the last hour
    std::int64_t approvals = 0;             ///< steps that wait for a decision
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
    const auto stats = call.services.counts.statistics(call.store(), {.window = recent}, call.caller.queues);
    std::int64_t failed = 0;
    for (const auto& bucket : stats.buckets) failed += bucket.failed;
    return failed;
}

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

Picture take_picture(Call& call) {
    store::Store& store = call.store();
    const store::Vitals vitals = store.vitals();
    Picture picture{.overview = {.now = store.now(),
                                 .version = call.services.parts.version,
                                 .store = call.caller.may_know_store() ? store.describe() : "",
                                 .tasks = call.services.counts.tasks(store, call.caller.queues),
                                 .jobs = call.services.counts.jobs(store, call.caller.queues),
                                 .queues = store.queues()},
                    .unregistered = store.look().unregistered,
                    .backlog = store.backlog(),
                    .schedules = store.schedules(),
                    .failed_tasks = failed_tasks(call),
                    .approvals = vitals.approvals,
                    .sweeper = store.sweep_lease("the api, which only looks", Duration::zero()).holder};
    picture.failed_jobs = recently_failed(store, picture.overview.now);
    for (const auto& record : store.workers())
        picture.workers.push_back(views::view_of(record, call.config().recovery));
    picture.overview.workers = count_workers(picture.workers);
    if (vitals.oldest_waits) picture.overview.oldest_waiting = {vitals.oldest_task, *vitals.oldest_waits};
    return picture;
}

// ---- Concerns for the operator ------------------------------------------------------------------

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

/// Collects concerns. One that counts nothing is left out.
struct Concerns {
    std::vector<views::Concern> all = {};

    void problem(std::string kind, std::int64_t count, std::string text, views::Link link) {
        if (count > 0) all.push_back({std::move(kind), Severity::Problem, std::move(text), std::move(link), count});
    }
    void warning(std::string kind, std::int64_t count, std::string text, views::Link link) {
        if (count > 0) all.push_back({std::move(kind), Severity::Warning, std::move(text), std::move(link), count});
    }
};

void note_workers(const Picture& picture, Concerns& concerns) {
    const views::WorkerCounts& workers = picture.overview.workers;
    const auto first = std::ranges::find_if(picture.workers, [](const views::WorkerView& worker) {
        return !views::has_left(worker.record) && !worker.fresh;
    });
    concerns.problem("worker_stale", workers.stale,
                     counted(workers.stale, "worker does not beat", "workers do not beat"),
                     {"workers", workers.stale == 1 ? first->record.registration.id.to_string() : ""});
    const auto missing = std::ssize(picture.unregistered);
    concerns.warning("worker_unregistered", missing,
                     counted(missing, "worker holds tasks and has no row: they are recovered",
                             "workers hold tasks and have no row: they are recovered"),
                     {"recovery"});
    const std::int64_t pending = picture.overview.tasks.pending, unmatched = count_unmatched(picture);
    if (workers.fresh + workers.stale == 0 && pending > 0)
        concerns.problem("no_workers", pending,
                         concat("no worker is there; ", counted(pending, "task waits", "tasks wait")), {"workers"});
    else
        concerns.problem("unmatched", unmatched,
                         counted(unmatched, "task waits that no worker can run", "tasks wait that no worker can run"),
                         {"tasks"});
}

void note_failures(const Picture& picture, Concerns& concerns) {
    const auto jobs = std::ssize(picture.failed_jobs);
    concerns.problem("job_failed", jobs, concat(counted(jobs, "job", "jobs"), " failed in the last hour"),
                     {"jobs", jobs == 1 ? picture.failed_jobs.front().id.to_string() : ""});
    concerns.warning("task_failed", picture.failed_tasks,
                     concat(counted(picture.failed_tasks, "task", "tasks"), " failed in the last hour"), {"tasks"});
}

void note_queues(const Picture& picture, Concerns& concerns) {
    for (const auto& queue : picture.overview.queues)
        if (queue.paused)
            concerns.warning("queue_paused", queue.pending,
                             concat("queue ", queue.name, " is paused; ",
                                    counted(queue.pending, "task waits in it", "tasks wait in it")),
                             {"queues", queue.name});
}

void note_schedules(const Picture& picture, Concerns& concerns) {
    for (const auto& record : picture.schedules) {
        const std::string& name = record.schedule.name;
        const std::string problem = views::view_of(record, picture.overview.now, 1).problem;
        if (!problem.empty())
            concerns.problem("schedule_problem", 1, concat("schedule ", name, ": ", problem), {"schedules", name});
    }
}

/// Returns the concerns, the worst first.
std::vector<views::Concern> concerns_of(const Picture& picture) {
    Concerns concerns;
    if (picture.sweeper.empty())
        concerns.problem("nobody_sweeps", 1, "no process does recovery: start a worker or a server", {"recovery"});
    note_workers(picture, concerns);
    note_failures(picture, concerns);
    note_schedules(picture, concerns);
    concerns.warning("approval", picture.approvals,
                     counted(picture.approvals, "step waits for a decision", "steps wait for a decision"), {"jobs"});
    note_queues(picture, concerns);
    std::ranges::stable_sort(concerns.all, {}, &views::Concern::severity);
    return concerns.all;
}

store::StatsParams stats_params(const Call& call) {
    constexpr Duration shortest = std::chrono::minutes(1), longest = std::chrono::hours(24 * 7);
    store::StatsParams params;
    params.window = call.length("window").value_or(params.window);
    params.buckets = static_cast<int>(call.number("buckets", params.buckets));
    if (params.window < shortest || params.window > longest)
        throw Problem("BAD_PARAMETER", "?window must be 1m to 7d", {{"?window", "must be 1m to 7d"}});
    return params;
}

}  // namespace

http::Reply show_overview(Call& call) {
    Picture picture = take_picture(call);
    picture.overview.attention = concerns_of(picture);
    return answer(picture.overview);
}

http::Reply show_stats(Call& call) {
    const store::StatsParams params = stats_params(call);
    return answer(
        views::StatsView{params.window, call.services.counts.statistics(call.store(), params, call.caller.queues)});
}

}  // namespace holdfast::api
