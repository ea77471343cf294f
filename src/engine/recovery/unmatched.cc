#include "engine/recovery/unmatched.h"

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
    const core::UnmatchedRule steps = core::rule_for(holdfast::Unmatched::Auto, settings_.steps);
    const core::UnmatchedRule others = core::rule_for(holdfast::Unmatched::Fail, settings_.steps);
    std::map<std::int64_t, Lack> lacks;
    for (const store::RouteBacklog& route : store_.backlog()) {
        if (route.paused) continue;
        const Workers able = workers_for(route, workers, now);
        const auto before = lacks_.find(route.route);
        Lack& lack = lacks[route.route];
        if (before != lacks_.end()) lack = before->second;
        const core::RouteSeen seen = see(able, lack, now);
        // A lack that fails steps without a rule also fails tasks with `unmatched: fail`.
        const bool open_steps = core::fails_unmatched(steps, seen, settings_.grace);
        if (open_steps || core::fails_unmatched(others, seen, settings_.grace))
            reject(route, open_steps, able.some_are_stale, report);
    }
    lacks_ = std::move(lacks);
    return report;
}

Unmatched::Workers Unmatched::workers_for(const store::RouteBacklog& route,
                                          const std::vector<store::WorkerRecord>& workers, Duration now) const {
    const store::Route wanted{route.route, route.queue, route.tags};
    Workers found;
    for (const store::WorkerRecord& worker : workers) {
        if (!store::serves(worker.registration.queues, worker.registration.tags, wanted)) continue;
        found.are_known = true;
        if (worker.status != store::WorkerStatus::Active) continue;
        (is_fresh(worker.registration.id, now) ? found.serve : found.some_are_stale) = true;
    }
    return found;
}

bool Unmatched::is_fresh(const Uuid& worker, Duration now) const {
    if (worker == settings_.self) return true;
    return observer_.knows(worker) && observer_.worker(worker, now).evidence == core::Evidence::None;
}

core::RouteSeen Unmatched::see(const Workers& workers, Lack& lack, Duration now) const {
    const auto lasts = [&](bool is_lacking, std::optional<Duration>& since) {
        if (!is_lacking) since.reset();
        if (is_lacking && !since) since = now;
        return since ? std::min(now - *since, observer_.unbroken_view(now)) : Duration::zero();
    };
    return {.served = workers.serve,
            .known = workers.are_known,
            .unserved_for = lasts(!workers.serve, lack.unserved_since),
            .unknown_for = lasts(!workers.are_known, lack.unknown_since)};
}

void Unmatched::reject(const store::RouteBacklog& route, bool open_steps, bool some_are_stale,
                       RecoveryReport& report) {
    // Only tasks that were claimable for the whole grace: a task may be younger than the lack of a worker.
    const std::vector<Uuid> tasks = store_.unmatched_tasks(
        {.route = route.route, .waited = settings_.grace, .open_steps = open_steps, .limit = store::max_batch_rows});
    if (tasks.empty()) return;
    const auto done = store_.reject({.tasks = tasks, .error = error_for(route, some_are_stale), .who = who_});
    report.rejected += static_cast<std::size_t>(std::ranges::count(done, true));
}

}  // namespace holdfast::engine
