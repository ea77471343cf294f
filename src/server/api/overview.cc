#include <algorithm>

#include "base/text.h"
#include "server/api/resources.h"
#include "views/overview.h"
#include "views/readiness.h"
#include "views/schedule.h"

namespace holdfast::api {

namespace {

constexpr Duration recent = std::chrono::hours(1);

/// Everything that the overview reports, read for one request.
struct Picture {
    views::Overview overview = {};  ///< the answer, without its concerns
    views::Readiness readiness = {};
    std::vector<store::ScheduleRecord> schedules = {};
    std::vector<JobInfo> failed_jobs = {};  ///< in the last hour
    std::int64_t failed_tasks = 0;          ///< in the last hour
    std::int64_t approvals = 0;             ///< steps that wait for a decision
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

Picture take_picture(Call& call) {
    store::Store& store = call.store();
    const store::Vitals vitals = store.vitals();
    Picture picture{.overview = {.now = store.now(),
                                 .version = call.services.parts.version,
                                 .store = call.caller.may_know_store() ? store.describe() : "",
                                 .tasks = call.services.counts.tasks(store, call.caller.queues),
                                 .jobs = call.services.counts.jobs(store, call.caller.queues),
                                 .queues = store.queues()},
                    .readiness = views::read_readiness(store, call.config().recovery),
                    .schedules = store.schedules(),
                    .failed_tasks = failed_tasks(call),
                    .approvals = vitals.approvals};
    picture.readiness.pending = picture.overview.tasks.pending;
    picture.failed_jobs = recently_failed(store, picture.overview.now);
    picture.overview.workers = views::count_workers(picture.readiness.workers);
    if (vitals.oldest_waits) picture.overview.oldest_waiting = {vitals.oldest_task, *vitals.oldest_waits};
    return picture;
}

// ---- Concerns for the operator ------------------------------------------------------------------

using views::Concerns;
using views::counted;

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
    Concerns concerns{views::concerns_about(picture.readiness)};
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
