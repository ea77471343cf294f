#include "views/readiness.h"

#include <algorithm>

#include "base/text.h"
#include "store/route_match.h"

namespace holdfast::views {

namespace {

bool could_take(const WorkerView& worker, const store::RouteBacklog& backlog) {
    const auto& registration = worker.record.registration;
    return !has_left(worker.record) &&
           store::serves(registration.queues, registration.tags, {backlog.route, backlog.queue, backlog.tags});
}

/// Counts the tasks that could run now but match none of the present workers.
std::int64_t count_unmatched(const Readiness& readiness) {
    std::int64_t tasks = 0;
    for (const auto& backlog : readiness.backlog)
        if (!std::ranges::any_of(readiness.workers, [&](const auto& worker) { return could_take(worker, backlog); }))
            tasks += backlog.ready;
    return tasks;
}

void note_workers(const Readiness& readiness, Concerns& concerns) {
    const WorkerCounts workers = count_workers(readiness.workers);
    const auto first = std::ranges::find_if(
        readiness.workers, [](const WorkerView& worker) { return !has_left(worker.record) && !worker.fresh; });
    concerns.problem("worker_stale", workers.stale,
                     counted(workers.stale, "worker does not beat", "workers do not beat"),
                     {"workers", workers.stale == 1 ? first->record.registration.id.to_string() : ""});
    const auto missing = std::ssize(readiness.unregistered);
    concerns.warning("worker_unregistered", missing,
                     counted(missing, "worker holds tasks and has no row: they are recovered",
                             "workers hold tasks and have no row: they are recovered"),
                     {"recovery"});
}

void note_waiting_tasks(const Readiness& readiness, Concerns& concerns) {
    const WorkerCounts workers = count_workers(readiness.workers);
    const std::int64_t unmatched = count_unmatched(readiness);
    if (workers.fresh + workers.stale == 0 && readiness.pending > 0)
        concerns.problem("no_workers", readiness.pending,
                         concat("no worker is there; ", counted(readiness.pending, "task waits", "tasks wait")),
                         {"workers"});
    else
        concerns.problem("unmatched", unmatched,
                         counted(unmatched, "task waits that no worker can run", "tasks wait that no worker can run"),
                         {"tasks"});
}

}  // namespace

Readiness read_readiness(store::Store& store, const config::RecoveryConfig& config) {
    Readiness readiness{.unregistered = store.look().unregistered,
                        .backlog = store.backlog(),
                        .sweeper = store.sweep_lease("a view, which only looks", Duration::zero()).holder};
    for (const auto& record : store.workers()) readiness.workers.push_back(view_of(record, config));
    return readiness;
}

WorkerCounts count_workers(const std::vector<WorkerView>& workers) {
    WorkerCounts counts;
    for (const auto& [record, is_fresh] : workers) {
        if (has_left(record)) {
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

std::vector<Concern> concerns_about(const Readiness& readiness) {
    Concerns concerns;
    if (readiness.sweeper.empty())
        concerns.problem("nobody_sweeps", 1, "no process does recovery: start a worker or a server", {"recovery"});
    note_workers(readiness, concerns);
    note_waiting_tasks(readiness, concerns);
    return concerns.all;
}

std::string counted(std::int64_t count, std::string_view one, std::string_view many) {
    return concat(count, " ", count == 1 ? one : many);
}

}  // namespace holdfast::views
