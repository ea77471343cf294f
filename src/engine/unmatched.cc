#include "engine/unmatched.h"

#include <algorithm>

#include "base/text.h"
#include "store/route_match.h"

namespace holdfast::engine {

namespace {

TaskError error_for(const store::RouteBacklog& route, bool some_are_stale) {
    const std::string wanted = concat("queue ", route.queue, ", tags [", join(route.tags, ", "), "]");
    const std::string text = some_are_stale ? "No workers with fresh heartbeats available"
                                            : "No active worker with required tags to run this step";
    return {std::string(error_code::no_matching_worker), concat(text, " (", wanted, ")"), ""};
}

}  // namespace

RecoveryReport Unmatched::run_once(Duration now) {
    RecoveryReport report;
    const auto workers = store_.workers();
    std::map<std::int64_t, Duration> unserved;
    for (const store::RouteBacklog& route : store_.backlog()) {
        const Served served = route.paused ? Served::Yes : is_served(route, workers, now);
        if (served == Served::Yes) continue;
        const auto before = unserved_since_.find(route.route);
        const Duration view_began = now - observer_.unbroken_view(now);
        const Duration since = before == unserved_since_.end() ? now : std::max(before->second, view_began);
        unserved[route.route] = since;
        if (now - since > grace_) reject(route, served, report);
    }
    unserved_since_ = std::move(unserved);
    return report;
}

Unmatched::Served Unmatched::is_served(const store::RouteBacklog& route,
                                       const std::vector<store::WorkerRecord>& workers, Duration now) const {
    const store::Route wanted{route.route, route.queue, route.tags};
    bool some_are_stale = false;
    for (const store::WorkerRecord& worker : workers) {
        if (worker.status != store::WorkerStatus::Active) continue;
        if (!store::serves(worker.registration.queues, worker.registration.tags, wanted)) continue;
        const Uuid& id = worker.registration.id;
        if (observer_.knows(id) && observer_.worker(id, now).evidence == core::Evidence::None) return Served::Yes;
        some_are_stale = true;
    }
    return some_are_stale ? Served::NoneFresh : Served::NoWorker;
}

void Unmatched::reject(const store::RouteBacklog& route, Served served, RecoveryReport& report) {
    // Those that have been claimable for the grace as well: a task may be younger than the lack of a worker.
    const std::vector<Uuid> tasks = store_.unmatched_tasks(route.route, grace_, store::max_batch_rows);
    if (tasks.empty()) return;
    const auto done =
        store_.reject({.tasks = tasks, .error = error_for(route, served == Served::NoneFresh), .who = who_});
    report.rejected += static_cast<std::size_t>(std::ranges::count(done, true));
}

}  // namespace holdfast::engine
